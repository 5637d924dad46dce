-- The next day on which a need of the Priority Services Register details ends: infinity if none does, -infinity if all have ended, null without needs.
-- Not encrypted, so that a job finds the day; it says neither which need nor what it is.
alter table customers add column psr_review_on date;
alter table customers no force row level security;
-- Only the program can read the details, so it reviews those from before.
update customers set psr_review_on = current_date where psr_encrypted is not null;
alter table customers force row level security;
create index customers_psr_to_review on customers (psr_review_on) where isfinite(psr_review_on);
grant select (psr_review_on) on customers to housebill_system;

-- The feed from which the operator learns whom networks must register: one row for each customer who was ever to be registered. A change moves the
-- row to the end of the feed with a new version, so a reader sees the last one only.
create table psr_entries (
  customer_id text primary key,
  partner_id text not null references partners,
  quote_id text not null,
  version integer not null,
  change text not null check (change in ('registered', 'changed', 'expired', 'withdrawn')),
  changed_at timestamptz not null default clock_timestamp(),
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint unique,
  placed_at timestamptz,
  acknowledged_version integer not null default 0,
  reference text check (length(reference) between 1 and 200),
  acknowledged_at timestamptz,
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index psr_entries_by_quote on psr_entries (partner_id, quote_id);
create index psr_entries_to_place on psr_entries (transaction_id) where position is null;
create index psr_entries_unacknowledged on psr_entries (placed_at) where change = 'withdrawn' and acknowledged_version < version;
alter table psr_entries enable row level security;
alter table psr_entries force row level security;
create policy own_rows on psr_entries to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy place on psr_entries to housebill_system using (true) with check (true);
create policy read_for_operator on psr_entries for select to housebill_operator using (true);
grant select, insert, update, delete on psr_entries to housebill_app;
grant select, update (position, placed_at) on psr_entries to housebill_system;
grant select on psr_entries to housebill_operator;
grant select (psr_encrypted) on customers to housebill_operator;
create trigger audit after insert or delete or update on psr_entries
  for each row execute function audit_change('psr entry', 'customer_id', 'changed_at', 'transaction_id', 'position', 'placed_at');

alter table contract_feed add column last_psr_position bigint not null default 0;

-- Brings a customer's entry up to date. They are to be registered while they have needs and a contract in force. Runs with the rights of the role that
-- makes the change.
create function update_psr_entry(of_partner text, of_customer text) returns void language plpgsql as $$
declare
  present psr_entries;
  reviewed date;
  is_erased boolean;
  next_change text;
begin
  select psr_review_on, erased_at is not null into reviewed, is_erased from customers
   where partner_id = of_partner and customer_id = of_customer;
  if not exists (select from contracts where partner_id = of_partner and customer_id = of_customer and status = 'in_force') then
    reviewed := null;
  end if;
  select * into present from psr_entries where partner_id = of_partner and customer_id = of_customer for no key update;
  next_change := case
    when reviewed is null then 'withdrawn'
    when reviewed = '-infinity' then 'expired'
    when present.change is null or present.change = 'withdrawn' then 'registered'
    when present.transaction_id = pg_current_xact_id() then present.change
    else 'changed' end;
  if next_change = 'withdrawn' and coalesce(present.change, 'withdrawn') = 'withdrawn' then
    -- Of an erased customer, an entry is kept only until its withdrawal has been acknowledged.
    if is_erased then
      delete from psr_entries where partner_id = of_partner and customer_id = of_customer and acknowledged_version = version;
    end if;
    return;
  end if;
  if next_change = present.change and present.transaction_id = pg_current_xact_id() then
    return;
  end if;
  insert into psr_entries (customer_id, partner_id, quote_id, version, change)
  select of_customer, of_partner, quote_id, 1, next_change from customers where partner_id = of_partner and customer_id = of_customer
  on conflict (customer_id) do update
     set version = psr_entries.version + 1, change = excluded.change, changed_at = excluded.changed_at,
         transaction_id = excluded.transaction_id, position = null, placed_at = null;
end $$;

create function contract_status_changed() returns trigger language plpgsql as $$
begin
  perform update_psr_entry(new.partner_id, new.customer_id);
  return null;
end $$;
create trigger update_psr_entry after insert on contracts for each row when (new.status = 'in_force')
  execute function contract_status_changed();
create trigger update_psr_entry_of_change after update on contracts for each row
  when (old.status <> new.status and 'in_force' in (old.status, new.status))
  execute function contract_status_changed();
-- A change of the details that leaves the day as it is updates the entry itself.
create trigger update_psr_entry after update on customers for each row
  when (old.psr_review_on is distinct from new.psr_review_on or (old.erased_at is null and new.erased_at is not null))
  execute function contract_status_changed();

-- What is registered includes the meter points, which hold for the whole household.
create function psr_home_corrected() returns trigger language plpgsql as $$
begin
  perform update_psr_entry(new.partner_id, customer_id)
     from psr_entries where partner_id = new.partner_id and quote_id = new.quote_id order by customer_id;
  return null;
end $$;
create trigger update_psr_entries after insert on contract_corrections for each row execute function psr_home_corrected();

-- Registrations from before the feed.
alter table contracts no force row level security;
alter table customers no force row level security;
alter table psr_entries no force row level security;
alter table psr_entries disable trigger audit;
insert into psr_entries (customer_id, partner_id, quote_id, version, change)
select c.customer_id, c.partner_id, c.quote_id, 1, 'registered' from customers c
 where c.psr_review_on is not null and c.erased_at is null
   and exists (select from contracts k where k.partner_id = c.partner_id and k.customer_id = c.customer_id and k.status = 'in_force');
alter table psr_entries enable trigger audit;
alter table psr_entries force row level security;
alter table customers force row level security;
alter table contracts force row level security;

-- Reads of health data have an action of their own.
create or replace function write_operator_read(subject_type text, contracts jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  partner text;
begin
  if proof.origin() ->> 'actor' is distinct from 'operator' then
    raise exception 'only the operator reads contracts of all partners' using errcode = 'insufficient_privilege';
  end if;
  for partner in select jsonb_object_keys(contracts) order by 1 loop
    perform proof.insert_audit_entry(partner, case write_operator_read.subject_type when 'psr' then 'psr.read' else 'read' end,
                                     write_operator_read.subject_type, 'page', null, null,
                                     array(select jsonb_array_elements_text(contracts -> partner)));
  end loop;
end $$;

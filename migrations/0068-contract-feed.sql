-- The feed from which the operator's back office receives contracts. Every change of a contract that the feed shows is a version, written by
-- a trigger in the transaction of the change. A version gets its position after it has been committed and no older transaction can add one
-- before it, so nothing ever appears behind a position that was served.
create table contract_versions (
  contract_number text not null,
  version integer not null,
  partner_id text not null references partners,
  change text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint unique,
  primary key (contract_number, version),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number)
);
create index contract_versions_to_place on contract_versions (transaction_id) where position is null;
create index contract_versions_by_partner on contract_versions (partner_id, contract_number);
alter table contract_versions enable row level security;
alter table contract_versions force row level security;
create policy own_rows on contract_versions to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy place on contract_versions to housebill_system using (true) with check (true);
create policy read_for_operator on contract_versions for select to housebill_operator using (true);
grant select, insert on contract_versions to housebill_app;
grant select, update (position) on contract_versions to housebill_system;
grant select on contract_versions to housebill_operator;

-- The last position that was given. Whoever places versions holds its row, so only one process does.
create table contract_feed (
  is_only boolean primary key default true check (is_only),
  last_position bigint not null,
  -- Increased by hand or after a restore: cursors of an earlier generation are no longer accepted.
  generation integer not null
);
insert into contract_feed (last_position, generation) values (0, 1);
grant select, update on contract_feed to housebill_system;
grant select on contract_feed to housebill_operator;

-- Adds a version to contracts. Runs with the rights of the role that makes the change.
create function add_contract_versions(of_partner text, numbers text[], change text) returns void language plpgsql as $$
declare
  number text;
begin
  foreach number in array numbers loop
    -- Two changes of one contract get different versions.
    perform from contracts where partner_id = of_partner and contract_number = number for no key update;
    insert into contract_versions (contract_number, version, partner_id, change)
    select number, coalesce(max(version), 0) + 1, of_partner, add_contract_versions.change
      from contract_versions where contract_number = number;
  end loop;
end $$;

create function contract_changed() returns trigger language plpgsql as $$
begin
  perform add_contract_versions(new.partner_id, array[new.contract_number], case
    when tg_op = 'INSERT' or new.status <> old.status then new.status
    when new.acceptance is null and old.acceptance is not null then 'erased'
    else 'end_changed' end);
  return null;
end $$;
create trigger add_version after insert on contracts for each row execute function contract_changed();
create trigger add_version_of_change after update on contracts for each row
  when (old.status is distinct from new.status or old.ended_on is distinct from new.ended_on
        or old.final_statement is distinct from new.final_statement
        or (old.acceptance is not null and new.acceptance is null))
  execute function contract_changed();

-- Other changes of a customer's details add their versions themselves: only the program knows whether the details that are encrypted changed.
create function customer_of_contract_changed() returns trigger language plpgsql as $$
begin
  perform add_contract_versions(new.partner_id, array(
    select contract_number from contracts
     where partner_id = new.partner_id and customer_id = new.customer_id order by contract_number), tg_argv[0]);
  return null;
end $$;
create trigger add_version_of_erasure after update on customers for each row
  when (old.erased_at is null and new.erased_at is not null)
  execute function customer_of_contract_changed('erased');
create trigger add_version_of_card after update on setup_intents for each row
  when (old.card_encrypted is null and new.card_encrypted is not null)
  execute function customer_of_contract_changed('payment_method_changed');

-- Contracts from before the feed.
alter table contracts no force row level security;
alter table contract_versions no force row level security;
insert into contract_versions (contract_number, version, partner_id, change)
select contract_number, 1, partner_id, status from contracts order by agreed_at;
alter table contracts force row level security;
alter table contract_versions force row level security;

-- What the operator's software may read, of all partners.
create policy read_for_operator on contracts for select to housebill_operator using (true);
create policy read_for_operator on customers for select to housebill_operator using (true);
create policy read_for_operator on quotes for select to housebill_operator using (true);
create policy read_for_operator on setup_intents for select to housebill_operator using (true);
create policy read_for_operator on partners for select to housebill_operator using (true);
grant usage on schema public to housebill_operator;
grant select (contract_number, partner_id, quote_id, customer_id, status, agreed_at, effective_at, starts_on, ends_on, ended_on, end_reason,
              acceptance, price, document_hash, agreement_encrypted, final_statement) on contracts to housebill_operator;
grant select (customer_id, quote_id, partner_id, joining_number, personal_encrypted, processor_customer_id, erased_at, removed_at)
  on customers to housebill_operator;
grant select (quote_id, partner_id, stage, address, broadband_products, broadband_start_date, selected_install_date, service_statuses)
  on quotes to housebill_operator;
grant select (setup_intent_id, customer_id, partner_id, status, card_encrypted, created_at) on setup_intents to housebill_operator;
grant select (partner_id, name, clock_offset_seconds) on partners to housebill_operator;

-- Which versions the back office has taken over, under its own reference.
create table contract_acknowledgements (
  contract_number text not null,
  version integer not null,
  partner_id text not null references partners,
  reference text not null check (length(reference) between 1 and 200),
  acknowledged_at timestamptz not null,
  primary key (contract_number, version),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (contract_number, version) references contract_versions (contract_number, version)
);
create index contract_acknowledgements_by_partner on contract_acknowledgements (partner_id, contract_number);
alter table contract_acknowledgements enable row level security;
alter table contract_acknowledgements force row level security;
create policy own_rows on contract_acknowledgements to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy read_for_operator on contract_acknowledgements for select to housebill_operator using (true);
grant select, insert on contract_acknowledgements to housebill_app;
grant select on contract_acknowledgements to housebill_operator;
create trigger audit after insert or delete or update on contract_acknowledgements
  for each row execute function audit_change('contract acknowledgement', 'contract_number');

-- Records that a program of the operator's read contracts: one entry for each partner whose contracts were on the page.
create function write_operator_read(subject_type text, contracts jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  partner text;
begin
  if proof.origin() ->> 'actor' is distinct from 'operator' then
    raise exception 'only the operator reads contracts of all partners' using errcode = 'insufficient_privilege';
  end if;
  for partner in select jsonb_object_keys(contracts) order by 1 loop
    perform proof.insert_audit_entry(partner, 'read', write_operator_read.subject_type, 'page', null, null,
                                     array(select jsonb_array_elements_text(contracts -> partner)));
  end loop;
end $$;
revoke execute on function write_operator_read(text, jsonb) from public;
grant execute on function write_operator_read(text, jsonb) to housebill_operator;

-- What partners earn for the contracts that they sold. A term applies to contracts that took effect on its first day or later, until the next term
-- begins; of two with the same first day, the later one. Terms are only ever added.
create table commission_terms (
  term_number bigint generated always as identity primary key,
  partner_id text not null references partners,
  first_day date not null,
  -- [{"upTo": 10, "basisPoints": 200, "amount": null}, {"upTo": null, "basisPoints": null, "amount": 3000}]: up to which contract of a month, and either
  -- hundredths of a percent of its value or pence.
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array' and jsonb_array_length(tiers) > 0),
  recorded_at timestamptz not null,
  unique (partner_id, term_number)
);
create index commission_terms_by_day on commission_terms (partner_id, first_day, term_number);

-- What was earned for a contract, or taken back because it ended early. Contains no personal data. `month` is the statement that the entry is on: the
-- month of `counts_on` or, if that was closed, the first open one.
create table commission_entries (
  partner_id text not null references partners,
  contract_number text not null,
  kind text not null check (kind in ('earned', 'clawback')),
  quote_id text not null,
  counts_on date not null,
  month date not null check (extract(day from month) = 1 and month >= date_trunc('month', counts_on::timestamp)::date),
  amount_pence bigint not null check (case kind when 'earned' then amount_pence >= 0 else amount_pence <= 0 end),
  term_number bigint not null,
  -- The number of the contract among those that the partner earned in the month of `counts_on`; null for a clawback.
  number_in_month integer check ((kind = 'earned') = (number_in_month is not null)),
  value_net_pence bigint not null check (value_net_pence >= 0),
  basis_points integer check (basis_points between 0 and 10000),
  fixed_pence bigint check (fixed_pence >= 0),
  -- The days of the contract, of the household's whole term, and of the contract that were not supplied.
  term_days integer not null check (term_days > 0),
  household_days integer not null check (household_days >= term_days),
  unsupplied_days integer not null check (unsupplied_days between 0 and term_days),
  recorded_at timestamptz not null,
  primary key (partner_id, contract_number, kind),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  foreign key (partner_id, term_number) references commission_terms (partner_id, term_number),
  check ((basis_points is null) <> (fixed_pence is null))
);
create unique index commission_entries_numbers on commission_entries (partner_id, date_trunc('month', counts_on::timestamp), number_in_month)
  where kind = 'earned';
create index commission_entries_by_month on commission_entries (month, partner_id, counts_on, contract_number, kind);
create index contracts_by_effective_at on contracts (partner_id, effective_at) where effective_at is not null;
create index contracts_over_early on contracts (partner_id, ended_on) where ended_on is not null and effective_at is not null;

-- The months that are closed. Closing a month closes those before it too.
create table commission_closings (
  partner_id text not null references partners,
  month date not null check (extract(day from month) = 1),
  closed_at timestamptz not null,
  primary key (partner_id, month)
);

-- Whoever records entries, closes a month or adds terms of a partner takes turns.
create function lock_commission(of_partner text) returns void language sql as $$
  select pg_advisory_xact_lock(720846, hashtext(of_partner));
$$;

create function commission_never_changes() returns trigger language plpgsql as $$
begin
  raise exception '% are append-only: book a correction in an open month instead', tg_table_name;
end $$;

create function check_commission_entry() returns trigger language plpgsql as $$
begin
  perform lock_commission(new.partner_id);
  if exists (select from commission_closings where partner_id = new.partner_id and month >= new.month) then
    raise exception 'the month % is closed', to_char(new.month, 'YYYY-MM');
  end if;
  if new.kind = 'clawback' and not exists (
    select from commission_entries e
     where e.partner_id = new.partner_id and e.contract_number = new.contract_number and e.kind = 'earned'
       and e.amount_pence + new.amount_pence >= 0) then
    raise exception 'a clawback is at most what was earned';
  end if;
  return new;
end $$;

create function check_commission_closing() returns trigger language plpgsql as $$
begin
  perform lock_commission(new.partner_id);
  if exists (select from commission_closings where partner_id = new.partner_id and month >= new.month) then
    raise exception 'the month % is closed already', to_char(new.month, 'YYYY-MM');
  end if;
  return new;
end $$;

create trigger check_entry before insert on commission_entries for each row execute function check_commission_entry();
create trigger check_closing before insert on commission_closings for each row execute function check_commission_closing();
create trigger never_changes before update or delete on commission_terms for each row execute function commission_never_changes();
create trigger never_changes before update or delete on commission_entries for each row execute function commission_never_changes();
create trigger never_changes before update or delete on commission_closings for each row execute function commission_never_changes();
create trigger never_emptied before truncate on commission_terms for each statement execute function commission_never_changes();
create trigger never_emptied before truncate on commission_entries for each statement execute function commission_never_changes();
create trigger never_emptied before truncate on commission_closings for each statement execute function commission_never_changes();

create trigger audit after insert or delete or update on commission_terms
  for each row execute function audit_change('commission terms', 'term_number');
create trigger audit after insert or delete or update on commission_entries
  for each row execute function audit_change('commission entry', 'contract_number');
create trigger audit after insert or delete or update on commission_closings
  for each row execute function audit_change('commission closing', 'month');

alter table commission_terms enable row level security;
alter table commission_terms force row level security;
alter table commission_entries enable row level security;
alter table commission_entries force row level security;
alter table commission_closings enable row level security;
alter table commission_closings force row level security;
create policy own_rows on commission_terms to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy own_rows on commission_entries to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy own_rows on commission_closings to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy read_for_operator on commission_terms for select to housebill_operator using (true);
create policy read_for_operator on commission_entries for select to housebill_operator using (true);
create policy read_for_operator on commission_closings for select to housebill_operator using (true);
grant select, insert on commission_terms, commission_entries, commission_closings to housebill_app;
grant select on commission_terms, commission_entries, commission_closings to housebill_operator;

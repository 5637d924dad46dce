-- What the operator corrected in contracts after they were agreed. The documents stay as they were. Meter points and the install date belong to the
-- home, so the latest value holds for every contract of the household. A corrected birth date is stored with the customer.
create table contract_corrections (
  correction_number bigint generated always as identity primary key,
  partner_id text not null references partners,
  quote_id text not null,
  contract_number text not null,
  mpan text,
  mprn text,
  install_date date,
  reason text not null check (length(reason) between 1 and 200),
  corrected_at timestamptz not null,
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number)
);
create index contract_corrections_by_quote on contract_corrections (partner_id, quote_id, correction_number);
alter table contract_corrections enable row level security;
alter table contract_corrections force row level security;
create policy own_rows on contract_corrections to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy read_for_operator on contract_corrections for select to housebill_operator using (true);
grant select, insert on contract_corrections to housebill_app;
grant select on contract_corrections to housebill_operator;
create trigger audit after insert or delete or update on contract_corrections
  for each row execute function audit_change('contract correction', 'contract_number');

create function contract_corrected() returns trigger language plpgsql as $$
begin
  perform add_contract_versions(new.partner_id, array(
    select contract_number from contracts
     where partner_id = new.partner_id and quote_id = new.quote_id and effective_at is not null
       and (contract_number = new.contract_number or coalesce(new.mpan, new.mprn, new.install_date::text) is not null)
     order by contract_number), 'corrected');
  return null;
end $$;
create trigger add_version after insert on contract_corrections for each row execute function contract_corrected();

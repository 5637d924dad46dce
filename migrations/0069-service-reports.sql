-- What was reported about the supply of a home's services. The latest report of a service is its status.
create table service_reports (
  report_number bigint generated always as identity primary key,
  partner_id text not null references partners,
  quote_id text not null,
  service_id text not null,
  status text not null check (status in ('pending', 'requested', 'active', 'ended', 'failed', 'withdrawn')),
  effective_on date not null,
  reason text check (length(reason) <= 200),
  supplier_reference text check (length(supplier_reference) <= 200),
  reported_at timestamptz not null,
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index service_reports_by_quote on service_reports (partner_id, quote_id, service_id, report_number);
alter table service_reports enable row level security;
alter table service_reports force row level security;
create policy own_rows on service_reports to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy read_for_operator on service_reports for select to housebill_operator using (true);
grant select, insert on service_reports to housebill_app;
grant select on service_reports to housebill_operator;
create trigger audit after insert or delete or update on service_reports
  for each row execute function audit_change('service report', 'service_id');

-- What was reported before has no date of its own.
alter table quotes no force row level security;
alter table service_reports no force row level security;
insert into service_reports (partner_id, quote_id, service_id, status, effective_on, reported_at)
select partner_id, quote_id, service_id, status, updated_at::date, updated_at
  from quotes, jsonb_each_text(service_statuses) as reported (service_id, status);
alter table quotes force row level security;
alter table service_reports force row level security;

-- Each report is a version of every contract of the household.
create function services_of_contract_changed() returns trigger language plpgsql as $$
begin
  perform add_contract_versions(new.partner_id, array(
    select contract_number from contracts
     where partner_id = new.partner_id and quote_id = new.quote_id and effective_at is not null order by contract_number), 'services_changed');
  return null;
end $$;
create trigger add_version_of_services after insert on service_reports for each row execute function services_of_contract_changed();

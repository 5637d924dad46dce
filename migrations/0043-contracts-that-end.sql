-- How many notices of its coming end a contract has had: one 45 days and one 30 days before its last day.
alter table contracts add column ending_notices smallint not null default 0;
create index contracts_in_force_by_last_day on contracts (coalesce(ended_on, ends_on)) where status = 'in_force';
create policy find_in_force on contracts for select to housebill_system using (status = 'in_force');
grant select (contract_number, partner_id, quote_id, status, ends_on, ended_on, ending_notices) on contracts to housebill_system;

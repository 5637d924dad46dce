-- What the operator reports about payments. `submitted`: asked for at the processor, with no outcome yet. `waived`: after a failure, the operator gave
-- it up.
alter table payment_entries drop constraint payment_entries_status_check;
alter table payment_entries add constraint payment_entries_status_check
  check (status in ('planned', 'submitted', 'failed', 'paid', 'refunded', 'disputed', 'waived', 'cancelled'));
create index payment_entries_by_due_date on payment_entries (due_on, entry_id);
create policy read_for_operator on payment_entries for select to housebill_operator using (true);
grant select on payment_entries to housebill_operator;

-- How a payment that belongs to no entry was settled, in the operator's words.
alter table payment_reports add column settlement text check (length(settlement) between 1 and 200);
create index payment_reports_unmatched on payment_reports (recorded_at, report_id)
  where entry_id is null and settlement is null and outcome <> 'failed';
create policy read_for_operator on payment_reports for select to housebill_operator using (true);
grant select on payment_reports to housebill_operator;
grant update (entry_id, settlement) on payment_reports to housebill_app;

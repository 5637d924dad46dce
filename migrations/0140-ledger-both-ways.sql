-- Money that was collected can come back and go again: refunds fail, disputes are won, the operator corrects a report. What an entry shows is counted
-- from its reports, and nothing is overwritten.

alter table payment_reports drop constraint payment_reports_outcome_check;
alter table payment_reports add constraint payment_reports_outcome_check check (outcome in
  ('paid', 'failed', 'refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost', 'withdrawn'));
alter table payment_reports
  -- The refund or the dispute that it is about. A refund without one is the total that was refunded so far.
  add column subject_id text,
  -- The report of the operator that this one corrects, and why.
  add column corrects text,
  add column reason text check (length(reason) between 1 and 200),
  -- How much of a refund is more than could be paid back. Counted like the amounts of an entry.
  add column exceeds_pence bigint not null default 0 check (exceeds_pence >= 0),
  add constraint payment_reports_correction check ((corrects is null) = (reason is null)),
  add constraint payment_reports_corrected_once unique (partner_id, corrects),
  add foreign key (partner_id, corrects) references payment_reports (partner_id, report_id);
grant update (exceeds_pence) on payment_reports to housebill_app;
create index payment_reports_by_entry on payment_reports (partner_id, entry_id);
drop index payment_reports_unmatched;
create index payment_reports_unmatched on payment_reports (recorded_at, report_id)
  where settlement is null and outcome in ('paid', 'refunded', 'disputed') and (entry_id is null or exceeds_pence > 0);

-- `reopened`: it was taken for paid and is not. Nothing is asked for until the operator puts it back on the plan, as an entry of its own.
alter table payment_entries drop constraint payment_entries_status_check;
alter table payment_entries add constraint payment_entries_status_check check (status in
  ('planned', 'submitted', 'failed', 'paid', 'refunded', 'disputed', 'reopened', 'waived', 'cancelled'));
alter table payment_entries
  -- What the tenant's bank took back, and how much of that is not decided yet.
  add column disputed_pence bigint not null default 0 check (disputed_pence >= 0),
  add column contested_pence bigint not null default 0 check (contested_pence >= 0 and contested_pence <= disputed_pence),
  -- What is owed again and waits for the operator to put it back on the plan.
  add column owed_again_pence bigint not null default 0 check (owed_again_pence >= 0),
  -- The entry of which this one collects what is owed again.
  add column again_for text,
  -- For a refund: what was paid back of the contract before it was planned. Only what follows counts towards it.
  add column paid_back_before bigint not null default 0,
  add foreign key (partner_id, again_for) references payment_entries (partner_id, entry_id);
create index payment_entries_owed_again on payment_entries (due_on, entry_id) where owed_again_pence > 0;

-- The simulated processor keeps its refunds and disputes, so that a refund can fail later and a dispute can be decided.
create table simulated_processor.refunds (
  id text primary key,
  payment_intent text not null,
  object jsonb not null
);
create index refunds_by_payment on simulated_processor.refunds (payment_intent);
create table simulated_processor.disputes (
  id text primary key,
  payment_intent text not null,
  object jsonb not null
);
create index disputes_by_payment on simulated_processor.disputes (payment_intent);

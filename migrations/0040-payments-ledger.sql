-- What a customer owes, and what the processor reports about it.

-- The plan agreed at acceptance, and later fees, refunds and final payments. A description is written by Housebill and contains no
-- personal data. An entry that is no longer due is cancelled, never deleted.
create table payment_entries (
  entry_id text primary key,
  partner_id text not null references partners,
  customer_id text not null,
  contract_number text,
  kind text not null check (kind in ('plan', 'fee', 'refund', 'final')),
  due_on date not null,
  amount_pence bigint not null check (amount_pence >= 0),
  -- The days that the entry pays for; null if it pays for no period.
  period_start date,
  period_end date,
  description text not null,
  status text not null default 'planned' check (status in ('planned', 'failed', 'paid', 'refunded', 'disputed', 'cancelled')),
  -- The processor's id of the last payment that was attempted for this entry.
  payment_id text,
  collected_at timestamptz,
  collected_pence bigint check (collected_pence >= 0),
  refunded_pence bigint not null default 0 check (refunded_pence >= 0),
  created_at timestamptz not null,
  constraint payment_entries_of_partner unique (partner_id, entry_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  check ((period_start is null) = (period_end is null) and period_start <= period_end)
);
create index payment_entries_by_customer on payment_entries (partner_id, customer_id, due_on);
alter table payment_entries enable row level security;
alter table payment_entries force row level security;
create policy own_rows on payment_entries to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert, update, delete on payment_entries to housebill_app;
create trigger audit after insert or update or delete on payment_entries
  for each row execute function audit_change('payment entry', 'entry_id');

-- Each attempt, refund and dispute that the processor reported, once, however often it is reported.
create table payment_reports (
  report_id text not null,
  partner_id text not null references partners,
  customer_id text not null,
  -- The entry that it is about; null if no entry matches.
  entry_id text,
  outcome text not null check (outcome in ('paid', 'failed', 'refunded', 'disputed')),
  payment_id text not null,
  -- Null if the processor named no amount in pence. For a refund, the total refunded so far.
  amount_pence bigint check (amount_pence >= 0),
  -- On the processor's clock, in whole seconds.
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (partner_id, report_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, entry_id) references payment_entries (partner_id, entry_id)
);
create index payment_reports_by_customer on payment_reports (partner_id, customer_id);
create index payment_reports_by_payment on payment_reports (payment_id);
create index payment_reports_by_report on payment_reports (report_id);
alter table payment_reports enable row level security;
alter table payment_reports force row level security;
create policy own_rows on payment_reports to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert, delete on payment_reports to housebill_app;
-- A notice of a refund or a dispute names only the payment.
create policy find_owner on payment_reports for select to housebill_system using (true);
grant select (report_id, partner_id, customer_id, payment_id, recorded_at) on payment_reports to housebill_system;
create trigger audit after insert or update or delete on payment_reports
  for each row execute function audit_change('payment report', 'report_id');

-- The simulated processor refunds payments and opens disputes.
alter table simulated_processor.payment_intents
  add column amount_refunded integer not null default 0,
  add column disputed boolean not null default false;

-- Another card. The card that is attached stays in use until its replacement succeeds.
alter table setup_intents
  add column replaces_card boolean not null default false,
  -- Brand, last four digits and expiry, once the processor has returned them.
  add column card_encrypted text,
  -- The last attempt that was declined, so that each is reported once.
  add column declined_attempt text;
drop index one_open_setup_intent;
create unique index one_first_setup_intent on setup_intents (customer_id) where status <> 'canceled' and not replaces_card;
create unique index one_open_replacement on setup_intents (customer_id)
  where status not in ('succeeded', 'canceled') and replaces_card;
create index setup_intents_without_card on setup_intents (ask_after) where status = 'succeeded' and card_encrypted is null;
drop policy ask_about_open on setup_intents;
create policy ask_about_open on setup_intents for update to housebill_system
  using (status not in ('succeeded', 'canceled') or (status = 'succeeded' and card_encrypted is null)) with check (true);

-- Why the last attempt to attach a card or to collect a payment failed; null if it succeeded.
alter table customers add column last_payment_error_encrypted text;

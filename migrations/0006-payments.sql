-- The payment processor's intent a customer's card is collected with. One open one a customer; cancelled ones stay as
-- history.
create table setup_intents (
  setup_intent_id text not null,
  customer_id text not null,
  partner_id text not null,
  processor_customer_id text not null,
  status text not null
    check (status in ('requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'succeeded',
                      'canceled')),
  -- The processor's clock for the last event taken in, so that an older one arriving late changes nothing.
  last_event_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the processor is next asked about an open intent, and how often it has been asked since it last told
  -- something. Real time by this database's clock; whoever asks moves the time ahead first, so that no two processes
  -- ask about the same.
  retry_at timestamptz not null default (now() + interval '5 minutes'),
  attempt_count integer not null default 0,
  -- What tells a processor's response that was overtaken, and a notice that says what a response has told better, from
  -- news.
  revision integer not null default 0,
  last_response_at timestamptz,
  -- Another card. The card that is attached stays in use until its replacement succeeds.
  replaces_card boolean not null default false,
  -- Brand, last four digits and expiry, once the processor has returned them.
  card_encrypted text,
  -- By what the processor knows the number again, and when that was the card of a fourth household.
  card_fingerprint text,
  card_shared_at timestamptz,
  -- The processor's id of that card, stored with it, so that taking a payment does not begin with reading it.
  payment_method_id text,
  -- The last attempt that was declined, so that each is reported once.
  declined_attempt text,
  -- Setup intents that must be cancelled at the processor because the lock of their quote ended.
  cancel_wanted boolean not null default false,
  -- Whether the processor no longer has the card that was attached, such as after its customer was deleted there.
  -- Nothing is charged to another one silently.
  card_missing boolean not null default false,
  -- Who asked for it, as the audit log names them: an e-mail about another card says it.
  asked_by text default (nullif(current_setting('housebill.origin', true), '')::jsonb ->> 'actor'),
  primary key (setup_intent_id, partner_id),
  constraint setup_intents_customer_id_fkey foreign key (partner_id, customer_id) references customers
    (partner_id, customer_id)
);
create unique index one_first_setup_intent on setup_intents (customer_id, partner_id)
  where status <> 'canceled' and not replaces_card;
create unique index one_open_replacement on setup_intents (customer_id, partner_id)
  where status not in ('succeeded', 'canceled') and replaces_card;
create index setup_intents_by_card on setup_intents (card_fingerprint, partner_id, created_at)
  where card_fingerprint is not null;
create index setup_intents_sharing on setup_intents (card_shared_at) where card_shared_at is not null;
create index setup_intents_by_customer on setup_intents (customer_id, partner_id);
create index setup_intents_by_processor_customer on setup_intents (processor_customer_id);
create index setup_intents_declined on setup_intents (updated_at)
  where status = 'requires_payment_method' and declined_attempt is not null;
create index setup_intents_replacing on setup_intents (updated_at) where replaces_card and status = 'succeeded';
create index setup_intents_to_ask on setup_intents (retry_at)
  where status not in ('succeeded', 'canceled') or (status = 'succeeded' and card_encrypted is null);
select audit_table('setup_intents', 'setup intent', 'setup_intent_id',
  '{updated_at, retry_at, attempt_count, last_event_at, revision, last_response_at}');

-- Customers the processor still has to be asked to delete. Their rows here may be gone already.
create table processor_deletions (
  customer_id text not null,
  partner_id text not null references partners (partner_id),
  -- Null where the response that named it was lost: it is looked for.
  processor_customer_id text,
  requested_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  attempt_count integer not null default 0,
  primary key (customer_id, partner_id)
);
create index processor_deletions_due on processor_deletions (due_at);

-- The plan agreed at acceptance, and later fees, refunds and final payments. A description is written by Housebill and
-- contains no personal data. An entry that is no longer due is cancelled, never deleted.
create table payment_entries (
  entry_id text not null,
  partner_id text not null,
  customer_id text not null,
  contract_number text not null,
  -- `fee`: for a failed payment, owed besides the price. `final` and `exit_fee`: after an early end.
  kind text not null check (kind in ('plan', 'fee', 'refund', 'final', 'exit_fee')),
  due_on date not null,
  amount_pence bigint not null check (amount_pence >= 0),
  -- The days that the entry pays for; null if it pays for no period.
  period_start date,
  period_end date,
  description text not null,
  status text not null default 'planned'
    check (status in ('planned', 'submitted', 'failed', 'paid', 'refunded', 'disputed', 'reopened', 'waived',
                      'cancelled')),
  -- What it was when an early end dropped it, which it is again if that end is moved or taken back.
  dropped_from text check (dropped_from in ('planned', 'submitted', 'failed', 'waived')),
  -- The processor's id of the last payment that was attempted for this entry.
  payment_id text,
  collected_at timestamptz,
  collected_pence bigint check (collected_pence >= 0),
  refunded_pence bigint not null default 0 check (refunded_pence >= 0),
  created_at timestamptz not null,
  -- The attempts of Housebill itself to collect an entry. An attempt is stored before the processor is asked: with its
  -- number, the same attempt can be asked for again after a crash without taking anything twice. Null or 0 for entries
  -- that Housebill never asked for.
  attempt_number integer not null default 0,
  attempted_at timestamptz,
  attempted_card text,
  -- The entry whose failed payment this fee is for.
  fee_for text,
  -- What the tenant's bank took back, and how much of that is not decided yet.
  disputed_pence bigint not null default 0 check (disputed_pence >= 0),
  contested_pence bigint not null default 0,
  -- What is owed again and waits for the operator to put it back on the plan.
  owed_again_pence bigint not null default 0 check (owed_again_pence >= 0),
  -- The entry of which this one collects what is owed again.
  again_for text,
  -- The first entry that failed of those whose debt this one collects: its failures count as failures of that one.
  continues text,
  -- For a refund: what was paid back of the contract without an order before it was planned. Only what follows counts
  -- towards it.
  paid_back_before bigint not null default 0,
  -- What a refund is, and the payment that it is for; null for one of a settlement.
  refund_kind text check (refund_kind in ('price_reduction', 'compensation', 'payment_back')),
  refund_of text,
  -- Why the operator ordered a refund. Any other follows from the account, and changes with it.
  order_reason text check (length(order_reason) >= 1 and length(order_reason) <= 200),
  -- A compensation that lowered payments of the plan instead of being paid out.
  set_off boolean not null default false,
  -- The VAT in a price reduction.
  vat_pence bigint check (vat_pence >= 0 and vat_pence <= amount_pence),
  -- A refund whose rest no card takes.
  pay_by_bank boolean not null default false,
  -- The limit of a day counts what the processor was asked for on that day, however often an entry was asked for and
  -- whatever came of it. The real day in London on which it was asked for last, and for how much on that day.
  asked_on date,
  asked_pence bigint not null default 0 check (asked_pence >= 0),
  -- If the attempt fails, the day from which it is tried again; null if it is not.
  retry_on date,
  -- In a sandbox, until when a call that collects it keeps others from it.
  claimed_until timestamptz,
  -- Why the last attempt to collect a payment failed: a code, encrypted, because it can say that somebody had no money.
  failure_encrypted text,
  -- Why the operator gave it up.
  waiver_encrypted text,
  constraint payment_entries_attempt check ((attempt_number = 0) = (attempted_at is null)
    and (attempted_at is null) = (attempted_card is null)),
  check ((period_start is null) = (period_end is null) and period_start <= period_end),
  check (contested_pence >= 0 and contested_pence <= disputed_pence),
  constraint payment_entries_refunded check (refunded_pence <= coalesce(collected_pence, 0)),
  constraint payment_entries_fee check (fee_for is null or kind = 'fee'),
  constraint payment_entries_refund check ((kind = 'refund') = (refund_kind is not null)
    and (refund_of is null or kind = 'refund') and (order_reason is null or refund_of is not null)
    and (vat_pence is null or refund_kind = 'price_reduction') and (not set_off or (refund_kind = 'compensation' and order_reason is not null))),
  primary key (entry_id, partner_id),
  foreign key (partner_id, again_for) references payment_entries (partner_id, entry_id),
  foreign key (partner_id, continues) references payment_entries (partner_id, entry_id),
  foreign key (partner_id, refund_of) references payment_entries (partner_id, entry_id),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
-- What is owed again is put back beside the entry that it is of.
create unique index one_planned_entry_a_day on payment_entries (contract_number, partner_id, due_on)
  where kind = 'plan' and status <> 'cancelled' and again_for is null;
create index payment_entries_again on payment_entries (again_for, partner_id) where again_for is not null;
create index payment_entries_refund_of on payment_entries (refund_of, partner_id) where refund_of is not null;
create index payment_entries_asked on payment_entries (asked_on) where asked_on is not null;
create unique index payment_entries_fee_for on payment_entries (fee_for, partner_id) where fee_for is not null;
create index payment_entries_by_contract on payment_entries (contract_number, partner_id);
create index payment_entries_by_customer on payment_entries (customer_id, partner_id, due_on);
create index payment_entries_reductions on payment_entries (contract_number, partner_id)
  where refund_kind = 'price_reduction';
create index payment_entries_by_status on payment_entries (status, due_on, entry_id) where due_on > '-infinity';
create index payment_entries_continues on payment_entries (continues, partner_id) where continues is not null;
create index payment_entries_owed_again on payment_entries (due_on, entry_id) where owed_again_pence > 0;
create index payment_entries_refunds on payment_entries (due_on, entry_id)
  where kind = 'refund' and status in ('planned', 'submitted', 'failed') and due_on > '-infinity';
create index payment_entries_to_collect on payment_entries (due_on, entry_id)
  where status in ('planned', 'submitted', 'failed') and kind <> 'refund' and due_on > '-infinity';
select audit_table('payment_entries', 'payment entry', 'entry_id');

-- Nothing is collected from a customer until the hold ends: it is lifted, or `until` is over. With `due_after`, only
-- payments that are due after that day are held. What fell due meanwhile is taken ten days after the end.
create table collecting_holds (
  hold_number bigint generated always as identity,
  partner_id text not null,
  customer_id text not null,
  cause text not null check (cause in ('death', 'tenancy_end')),
  due_after date,
  until date,
  placed_at timestamptz not null,
  lifted_at timestamptz,
  primary key (hold_number, partner_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index collecting_holds_by_customer on collecting_holds (customer_id, partner_id);
create unique index one_hold_of_a_cause on collecting_holds (customer_id, partner_id, cause) where lifted_at is null;
select audit_table('collecting_holds', 'collecting hold', 'hold_number');

-- Each attempt, refund and dispute that the processor reported, once, however often it is reported.
create table payment_reports (
  report_id text not null,
  partner_id text not null references partners (partner_id),
  customer_id text not null,
  -- The entry that it is about; null if no entry matches.
  entry_id text,
  outcome text not null
    check (outcome in ('paid', 'failed', 'refunded', 'refund_failed', 'disputed', 'dispute_won', 'dispute_lost',
                       'withdrawn')),
  payment_id text not null,
  -- Null if the processor named no amount in pence. For a refund, the total refunded so far.
  amount_pence bigint check (amount_pence >= 0),
  -- On the processor's clock, in whole seconds.
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  -- How a payment that belongs to no entry was settled, in the operator's words.
  settlement text check (length(settlement) >= 1 and length(settlement) <= 200),
  -- The refund or the dispute that it is about. A refund without one is the total that was refunded so far.
  subject_id text,
  -- The report of the operator that this one corrects, and why.
  corrects text,
  reason text check (length(reason) >= 1 and length(reason) <= 200),
  -- How much of a refund is more than could be paid back. Counted like the amounts of an entry.
  exceeds_pence bigint not null default 0 check (exceeds_pence >= 0),
  -- The entry that a payment names, whether or not it paid it. While the payment is not settled, that entry is not
  -- collected.
  named_entry_id text,
  -- The processor's status of a dispute that is none which we know: until there is news, somebody must look.
  unknown_status text check (length(unknown_status) >= 1 and length(unknown_status) <= 50),
  primary key (report_id, partner_id),
  constraint payment_reports_correction check ((corrects is null) = (reason is null)),
  foreign key (partner_id, corrects) references payment_reports (partner_id, report_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, entry_id) references payment_entries (partner_id, entry_id)
);
create unique index payment_reports_corrected_once on payment_reports (corrects, partner_id)
  where corrects is not null;
create index payment_reports_by_customer on payment_reports (customer_id, partner_id);
create index payment_reports_by_entry on payment_reports (entry_id, partner_id) where entry_id is not null;
create index payment_reports_by_payment on payment_reports (payment_id);
create index payment_reports_naming on payment_reports (named_entry_id, partner_id)
  where entry_id is null and settlement is null and outcome = 'paid';
create index payment_reports_unknown on payment_reports (recorded_at) where unknown_status is not null;
create index payment_reports_by_subject on payment_reports (subject_id, partner_id) where subject_id is not null;
create index payment_reports_unmatched on payment_reports (recorded_at, report_id)
  where ((settlement is null) and (outcome in ('paid', 'refunded', 'disputed'))
    and ((entry_id is null) or (exceeds_pence > 0)));
select audit_table('payment_reports', 'payment report', 'report_id');

-- What the processor was asked to pay back of a refund, from one payment. An order is stored before the processor is
-- asked, so that after a crash the same one is asked for again and nothing is paid twice.
create table refund_orders (
  partner_id text not null,
  order_id text not null,
  customer_id text not null,
  -- The refund that is paid, and the payment that it goes back to.
  refund_entry_id text not null,
  entry_id text not null,
  payment_id text not null,
  amount_pence bigint not null check (amount_pence > 0),
  -- `asked`: without a response yet. `rejected`: the card does not take it, so it is paid by bank.
  status text not null default 'asked' check (status in ('asked', 'accepted', 'rejected')),
  -- The processor's id of the refund.
  refund_id text,
  reason text,
  -- Whether a job asked for it, whose daily limit counts it.
  by_job boolean not null,
  asked_at timestamptz not null,
  primary key (order_id, partner_id),
  foreign key (partner_id, entry_id) references payment_entries (partner_id, entry_id),
  foreign key (partner_id, refund_entry_id) references payment_entries (partner_id, entry_id)
);
create index refund_orders_by_id on refund_orders (refund_id, partner_id) where refund_id is not null;
create index refund_orders_by_job on refund_orders (asked_at) where by_job;
create index refund_orders_by_payment on refund_orders (entry_id, partner_id);
create index refund_orders_by_refund on refund_orders (refund_entry_id, partner_id);
select audit_table('refund_orders', 'refund order', 'order_id');

-- What partners earn for the contracts that they sold. A term applies to contracts that took effect on its first day or
-- later, until the next term begins; of two with the same first day, the later one. Terms are only ever added.
create table commission_terms (
  term_number bigint generated always as identity,
  partner_id text not null references partners (partner_id),
  first_day date not null,
  -- [{"upTo": 10, "basisPoints": 200, "amount": null}, {"upTo": null, "basisPoints": null, "amount": 3000}]: up to
  -- which contract of a month, and either hundredths of a percent of its value or pence.
  tiers jsonb not null check (jsonb_typeof(tiers) = 'array' and jsonb_array_length(tiers) > 0),
  recorded_at timestamptz not null,
  primary key (partner_id, term_number)
);
create index commission_terms_by_day on commission_terms (partner_id, first_day, term_number);
select audit_table('commission_terms', 'commission terms', 'term_number');

-- What was earned for a contract, or taken back because it ended early (`clawback`) or its price was reduced. Contains
-- no personal data. `month` is the statement that the entry is on: the month of `counts_on` or, if that was closed, the
-- first open one.
create table commission_entries (
  line_id text not null,
  partner_id text not null references partners (partner_id),
  contract_number text not null,
  kind text not null check (kind in ('earned', 'clawback', 'reduction')),
  quote_id text not null,
  -- The branch and the person that sold the contract, when it earned; null for none.
  branch text,
  sold_by text,
  counts_on date not null,
  month date not null,
  amount_pence bigint not null,
  term_number bigint not null,
  -- The number of the contract among those that the partner earned in the month of `counts_on`; null unless it is an
  -- earning. What ended before its first day later does not count any more, so that two can have the same number.
  number_in_month integer,
  value_net_pence bigint not null check (value_net_pence >= 0),
  basis_points integer check (basis_points >= 0 and basis_points <= 10000),
  fixed_pence bigint check (fixed_pence >= 0),
  -- The days of the contract, of the household's whole term, and of the contract that were not supplied.
  term_days integer not null check (term_days > 0),
  household_days integer not null,
  unsupplied_days integer not null,
  -- The refund by which the price was reduced: each counts once.
  refund_entry_id text,
  recorded_at timestamptz not null,
  primary key (line_id, partner_id),
  unique nulls not distinct (contract_number, partner_id, kind, refund_entry_id),
  check ((kind = 'reduction') = (refund_entry_id is not null)),
  check (extract(day from month) = 1
    and month >= date_trunc('month', counts_on::timestamp)::date),
  check (case kind when 'earned' then amount_pence >= 0 else amount_pence <= 0 end),
  check ((kind = 'earned') = (number_in_month is not null)),
  check (household_days >= term_days),
  check (unsupplied_days >= 0 and unsupplied_days <= term_days),
  check ((basis_points is null) <> (fixed_pence is null)),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  foreign key (partner_id, term_number) references commission_terms (partner_id, term_number),
  foreign key (partner_id, refund_entry_id) references payment_entries (partner_id, entry_id)
);
create index commission_entries_by_month on commission_entries (month, partner_id, counts_on, contract_number, kind);
create unique index commission_entries_reductions on commission_entries (refund_entry_id, partner_id)
  where refund_entry_id is not null;
create index commission_entries_numbers
  on commission_entries (date_trunc('month', counts_on::timestamp), partner_id, number_in_month) where kind = 'earned';
select audit_table('commission_entries', 'commission entry', 'contract_number');

-- The months that are closed. Closing a month closes those before it too.
create table commission_closings (
  partner_id text not null references partners (partner_id),
  month date not null check (extract(day from month) = 1),
  closed_at timestamptz not null,
  -- The day on which the operator paid what it owed for the months that this closed; null if it did not say.
  paid_on date,
  primary key (partner_id, month)
);
select audit_table('commission_closings', 'commission closing', 'month');

-- What a partner asks about a line of its statements, and what the operator answers. It keeps no month open.
create table commission_queries (
  query_id text not null,
  partner_id text not null,
  line_id text not null,
  text_encrypted text not null,
  asked_at timestamptz not null,
  answer_encrypted text,
  answered_at timestamptz,
  primary key (query_id, partner_id),
  foreign key (partner_id, line_id) references commission_entries (partner_id, line_id),
  check ((answer_encrypted is null) = (answered_at is null))
);
create index commission_queries_by_line on commission_queries (line_id, partner_id);
create unique index one_open_query on commission_queries (line_id, partner_id) where answered_at is null;
select audit_table('commission_queries', 'commission query', 'query_id');

-- Whoever records entries, closes a month or adds terms of a partner takes turns.
create function lock_commission(of_partner text) returns void
language sql as $$
  select pg_advisory_xact_lock(720846, hashtext(of_partner));
$$;

create function check_commission_entry() returns trigger
language plpgsql as $$
begin
  perform lock_commission(new.partner_id);
  if exists (select from commission_closings where partner_id = new.partner_id and month >= new.month) then
    raise exception 'the month % is closed', to_char(new.month, 'YYYY-MM');
  end if;
  if new.kind <> 'earned' and new.amount_pence + coalesce((
    select sum(e.amount_pence) from commission_entries e
     where e.partner_id = new.partner_id and e.contract_number = new.contract_number), -1) < 0 then
    raise exception 'what is taken back is at most what was earned';
  end if;
  return new;
end $$;

create function check_commission_closing() returns trigger
language plpgsql as $$
begin
  perform lock_commission(new.partner_id);
  if exists (select from commission_closings where partner_id = new.partner_id and month >= new.month) then
    raise exception 'the month % is closed already', to_char(new.month, 'YYYY-MM');
  end if;
  return new;
end $$;

create function commission_never_changes() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'commission_closings' then
    if to_jsonb(new) - 'paid_on' = to_jsonb(old) - 'paid_on' and new <> old then return new; end if;
  end if;
  raise exception '% are append-only: book a correction in an open month instead', tg_table_name;
end $$;

create trigger never_changes before delete or update on commission_terms
  for each row execute function commission_never_changes();

create trigger never_emptied before truncate on commission_terms
  for each statement execute function commission_never_changes();

create trigger check_entry before insert on commission_entries for each row execute function check_commission_entry();

create trigger never_changes before delete or update on commission_entries
  for each row execute function commission_never_changes();

create trigger never_emptied before truncate on commission_entries
  for each statement execute function commission_never_changes();

create trigger check_closing before insert on commission_closings
  for each row execute function check_commission_closing();

create trigger never_changes before delete or update on commission_closings
  for each row execute function commission_never_changes();

create trigger never_emptied before truncate on commission_closings
  for each statement execute function commission_never_changes();

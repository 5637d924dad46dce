-- The limit of a day counts what the processor was asked for on that day, however often an entry was asked for and whatever came of it.
alter table payment_entries
  -- The real day in London on which it was asked for last, and for how much on that day.
  add column asked_on date,
  add column asked_pence bigint not null default 0 check (asked_pence >= 0),
  -- If the attempt fails, the day from which it is tried again; null if it is not.
  add column retry_on date,
  -- In a sandbox, until when a call that collects it keeps others from it.
  add column claimed_until timestamptz;
create index payment_entries_asked on payment_entries (asked_on) where asked_on is not null;
drop index payment_entries_attempted;

-- The entry that a payment names, whether or not it paid it. While the payment is not settled, that entry is not collected.
alter table payment_reports add column named_entry_id text;
create index payment_reports_open on payment_reports (partner_id, customer_id)
  where entry_id is null and settlement is null and outcome = 'paid';
create index payment_reports_naming on payment_reports (partner_id, named_entry_id)
  where entry_id is null and settlement is null and outcome = 'paid';

-- Whether the processor no longer has the card that was attached, such as after its customer was deleted there. Nothing is charged to another one silently.
alter table setup_intents add column card_missing boolean not null default false;
grant select (card_missing) on setup_intents to housebill_operator;

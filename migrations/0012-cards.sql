-- Cards: when the processor is asked about intents it has not told of, what survives a crash between the processor and our
-- commit, and the simulated processor's collections, steering and webhooks on their way.

-- When the processor is next asked about an open intent, and how often it has been asked since it last told something. Real
-- time by this database's clock; whoever asks moves the time ahead first, so that no two processes ask about the same.
alter table setup_intents add column ask_after timestamptz not null default now() + interval '5 minutes';
alter table setup_intents add column asked_count integer not null default 0;
create index setup_intents_to_ask on setup_intents (ask_after) where status not in ('succeeded', 'canceled');

-- The processor's id of the customer, known from the moment it was answered and before an intent is stored.
alter table customers add column processor_customer_id text;
-- When the processor was first asked to set this customer up. It forgets idempotency keys after a day: from then on what an
-- unfinished call may have left there is looked for before anything is made.
alter table customers add column processor_asked_at timestamptz;
update customers c
   set processor_customer_id = s.processor_customer_id, processor_asked_at = s.created_at
  from setup_intents s
 where s.customer_id = c.customer_id;

-- A card that was attached: brand, last four digits and expiry, and how later payments from it end.
create table simulated_processor.payment_methods (
  id text primary key,
  customer_id text,
  -- Null where the card is not known: attached before this table was there.
  card jsonb,
  -- Why later payments are refused; null where they succeed.
  later_refusal jsonb,
  created_at timestamptz not null default now()
);
insert into simulated_processor.payment_methods (id, customer_id)
select object ->> 'payment_method', object ->> 'customer'
  from simulated_processor.setup_intents
 where object ->> 'status' = 'succeeded' and object ->> 'payment_method' is not null
    on conflict (id) do nothing;

create table simulated_processor.payment_intents (
  id text primary key,
  -- The wire form without its client secret.
  object jsonb not null,
  created_at timestamptz not null default now()
);

-- How a partner has steered the simulator; a partner without a row has a processor that works and tells at once.
create table simulated_processor.steering (
  partner_id text primary key,
  delay_seconds integer not null check (delay_seconds between 0 and 600),
  copies integer not null check (copies between 1 and 5),
  delivery_order text not null check (delivery_order in ('sent', 'reversed')),
  lost boolean not null,
  down boolean not null
);

-- Webhooks on their way to the service, one row for each copy; gone once delivered or given up.
create table simulated_processor.outgoing_webhooks (
  number bigint generated always as identity primary key,
  event_id text not null,
  event_type text not null,
  partner_id text,
  -- What is signed and sent, byte for byte, at every attempt.
  body text not null,
  attempt_count integer not null default 0,
  due_at timestamptz not null,
  -- Of those due at one moment: the event's place, negative where the newest goes first.
  place bigint not null,
  -- Whoever sends it has it until then; a process that dies leaves it to the next.
  leased_until timestamptz
);
create index outgoing_webhooks_due on simulated_processor.outgoing_webhooks (due_at, place, number);

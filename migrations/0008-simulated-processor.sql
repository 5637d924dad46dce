-- sandbox only
-- expands: nothing but the simulator reads it.
-- The simulated payment processor of sandboxes: an outside system, which the service only calls over HTTP.
create schema simulated_processor;

create table simulated_processor.customers (
  id text primary key,
  -- The wire form without its personal fields.
  object jsonb not null,
  -- Name, e-mail, phone and description: AES-256-GCM, bound to this id.
  personal_sealed text not null,
  created_at timestamptz not null default now()
);
create index customers_by_metadata on simulated_processor.customers
  using gin (((object -> 'metadata')) jsonb_path_ops);

-- A card that was attached: brand, last four digits and expiry, and how later payments from it end.
create table simulated_processor.payment_methods (
  id text primary key,
  customer_id text,
  card jsonb,
  -- Why later payments are declined; null where they succeed.
  later_decline jsonb,
  created_at timestamptz not null default now()
);

-- The payment processor's intent a customer's card is collected with. One open one a customer; cancelled ones stay as
-- history.
create table simulated_processor.setup_intents (
  id text primary key,
  -- The wire form without its client secret, which is derived from the id when it is asked for.
  object jsonb not null,
  -- What happens once the customer has authenticated; null unless the status is requires_action.
  after_authentication jsonb,
  created_at timestamptz not null default now()
);

create table simulated_processor.payment_intents (
  id text primary key,
  -- The wire form without its client secret.
  object jsonb not null,
  created_at timestamptz not null default now(),
  -- The simulated processor refunds payments and opens disputes.
  amount_refunded integer not null default 0,
  disputed boolean not null default false
);

-- Refunds and disputes, by their wire form: a refund can fail later, and a dispute can be decided.
create table simulated_processor.reversals (
  id text primary key,
  payment_intent text not null,
  object jsonb not null
);
create index reversals_by_payment on simulated_processor.reversals (payment_intent);

-- Every event, also of those whose webhook is made to be lost; kept for 30 days, as a real processor does.
create table simulated_processor.events (
  number bigint generated always as identity primary key,
  id text not null unique,
  type text not null,
  -- By the processor's clock, in Unix seconds.
  happened_at bigint not null,
  -- As its webhook has it, byte for byte.
  body text not null
);
create index events_newest_first on simulated_processor.events (happened_at desc, number desc);

-- Webhooks on their way to the service, gone once delivered or given up.
create table simulated_processor.outgoing_webhooks (
  number bigint generated always as identity primary key,
  event_id text not null,
  event_type text not null,
  partner_id text,
  -- What is signed and sent, byte for byte, at every attempt.
  body text not null,
  attempt_count integer not null default 0,
  due_at timestamptz not null
);
create index outgoing_webhooks_due on simulated_processor.outgoing_webhooks (due_at, number);

create table simulated_processor.idempotent_responses (
  key text primary key,
  -- Keyed hash over method, path and parameters, a card number reduced to its last four digits beforehand.
  fingerprint text not null,
  -- Status and body of the response, sealed; null only inside the transaction that is making it.
  response_encrypted text,
  created_at timestamptz not null default now()
);
create index idempotent_responses_by_age on simulated_processor.idempotent_responses (created_at);

-- How a partner has steered the simulator; a partner without a row has a processor that works and tells at once.
create table simulated_processor.steering (
  partner_id text primary key,
  delay_seconds integer not null check (delay_seconds >= 0 and delay_seconds <= 600),
  lost boolean not null,
  down boolean not null
);

-- It runs in the process of a sandbox.
grant usage on schema simulated_processor to housebill_app, housebill_system;
grant select, insert, update, delete on all tables in schema simulated_processor to housebill_system;
grant usage on all sequences in schema simulated_processor to housebill_system;

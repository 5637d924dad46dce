-- The outbox and what becomes of it: events, the webhooks that want them, their deliveries and every attempt.
-- All times are real time by this database's clock; no sandbox clock moves them.

-- The outbox: an event is written in the transaction of the change it tells of, or the change did not happen.
create table events (
  event_id text primary key,
  -- Order of commit is not order of number; order within one quote is, as its row is locked while events are written.
  event_number bigint generated always as identity unique,
  partner_id text not null references partners,
  quote_id text not null,
  type text not null,
  -- json, not jsonb: the payload is delivered with its members in the documented order.
  data json not null,
  -- The moment of writing, not of the transaction's start: rises with event_number within a quote.
  occurred_at timestamptz not null default clock_timestamp(),
  -- Set when the event was turned into deliveries, also when nobody had subscribed.
  dispatched_at timestamptz
);
create index events_to_dispatch on events (event_number) where dispatched_at is null;
create index events_by_partner on events (partner_id, event_number desc);

create table webhooks (
  webhook_id text primary key,
  partner_id text not null references partners,
  -- As the partner wrote it.
  url text not null,
  events text[] not null,
  status text not null check (status in ('active', 'disabled')),
  -- In a sentence for the partner; null while active.
  disabled_reason text,
  secret_encrypted text not null,
  verification text not null check (verification in ('pending', 'verified', 'failed')),
  -- The current streak of failures; both null once an attempt succeeds.
  failing_since timestamptz,
  last_failed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index webhooks_by_partner on webhooks (partner_id, webhook_id);

create table deliveries (
  delivery_id text primary key,
  partner_id text not null references partners,
  webhook_id text not null references webhooks on delete cascade,
  -- Constant over retries: the webhook-id header and the body's id. For an event, the event's id.
  message_id text not null,
  -- Null for a message of the webhook's own, such as its verification.
  event_id text references events,
  is_event boolean not null generated always as (event_id is not null) stored,
  event_type text not null,
  quote_id text,
  event_number bigint,
  -- What is sent, byte for byte, at every attempt.
  body text not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempt_count integer not null default 0,
  -- When a pending delivery is due. Null: its turn comes when an earlier first attempt for the same webhook and quote has
  -- ended. A lease moves it to the lease's end, so that what a dead process was sending becomes due again by itself.
  next_attempt_at timestamptz,
  -- Whoever is sending it now; only the holder may record the outcome.
  lease_id text,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  check ((event_id is null) = (event_number is null) and (event_id is null) = (quote_id is null))
);
-- What is due, webhook by webhook; is_event because events may have to wait for verification and messages never do.
create index deliveries_due on deliveries (webhook_id, is_event, next_attempt_at) where status = 'pending';
create index deliveries_first_attempts on deliveries (webhook_id, quote_id, event_number)
  where status = 'pending' and attempt_count = 0;
create index deliveries_by_webhook on deliveries (webhook_id, delivery_id desc);

create table delivery_attempts (
  delivery_id text not null references deliveries on delete cascade,
  attempt_number integer not null,
  partner_id text not null references partners,
  started_at timestamptz not null,
  duration_ms integer not null,
  request_headers json not null,
  response_status integer,
  -- The first 4 KiB.
  response_body text,
  -- In words for the partner; null when the attempt succeeded.
  error text,
  primary key (delivery_id, attempt_number)
);

-- Wakes the workers. A NOTIFY makes its transaction hold a lock that every other notifying transaction waits for until it
-- has been flushed to disk: one in every commit would serialise them (measured: 5,000 inserts/s instead of 17,000). So only
-- the transaction that gets the advisory lock notifies; an event committed just after it is found by the look that every
-- worker takes again shortly after being woken, and by its poll.
create function wake_webhook_workers() returns trigger language plpgsql as $$
begin
  if pg_try_advisory_xact_lock(720845, 1) then
    perform pg_notify('housebill_webhooks', '');
  end if;
  return null;
end $$;
create trigger events_wake_workers after insert on events for each statement execute function wake_webhook_workers();
create trigger deliveries_wake_workers after insert on deliveries for each statement execute function wake_webhook_workers();

-- The outbox: events, the webhooks that receive them, and their deliveries.

-- The positions of events, in the order in which they were dispatched.
create sequence event_positions;

create table webhooks (
  webhook_id text not null,
  partner_id text not null references partners (partner_id),
  -- As the partner wrote it.
  url text not null,
  events text[] not null,
  status text not null check (status in ('active', 'disabled')),
  -- In a sentence for the partner; null while active.
  disabled_reason text,
  verification text not null check (verification in ('pending', 'verified', 'failed')),
  -- The current streak of failures; both null once an attempt succeeds.
  failing_since timestamptz,
  last_failed_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  -- A deleted webhook is gone for its partner at once; its row and its deliveries are removed in batches afterwards.
  deleted_at timestamptz,
  -- Counts what makes earlier attempts say nothing about the webhook any more: another URL, or being enabled again.
  revision integer not null default 0,
  -- Since when a webhook is disabled, so that its partner knows what it may have missed.
  disabled_at timestamptz,
  check (deleted_at is null or status = 'disabled'),
  primary key (webhook_id, partner_id)
);
create index webhooks_listed on webhooks (partner_id, webhook_id) where created_at > '-infinity';
create index webhooks_deleted on webhooks (webhook_id) where deleted_at is not null;
select audit_table('webhooks', 'webhook', 'webhook_id', '{updated_at, failing_since, last_failed_at, revision}');

-- The signing secrets, numbered from 1, the registration's. Several at a time sign while one is being rotated. No
-- reference to the webhook: one that the replay of a response may ask for outlives it.
create table webhook_secrets (
  webhook_id text not null,
  secret_number integer not null,
  partner_id text not null references partners (partner_id),
  secret_encrypted text not null,
  -- Signs until then; null for the current one. Real time by this database's clock.
  signs_until timestamptz,
  -- Until then the replay of the response it was given in must find it; null where that request carried no Idempotency-
  -- Key.
  replayable_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (webhook_id, partner_id, secret_number)
);
create unique index webhook_secrets_current on webhook_secrets (webhook_id, partner_id) where signs_until is null;
create index webhook_secrets_ended on webhook_secrets (signs_until) where signs_until is not null;
select audit_table('webhook_secrets', 'webhook secret', 'webhook_id');

-- The outbox: an event is written in the transaction of the change it tells of, or the change did not happen.
create table events (
  event_id text not null,
  -- Order of commit is not order of number; order within one quote is, as its row is locked while events are written.
  event_number bigint generated always as identity,
  partner_id text not null,
  quote_id text,
  type text not null,
  -- json, not jsonb: the payload is delivered with its members in the documented order.
  data json not null,
  -- The moment of writing, not of the transaction's start: rises with event_number within a quote.
  occurred_at timestamptz not null default clock_timestamp(),
  -- Set when the event was turned into deliveries, also when nobody had subscribed.
  dispatched_at timestamptz,
  position bigint,
  -- The W3C traceparent of the request that caused the event. Deliveries of the event continue its trace.
  traceparent text,
  primary key (event_id, partner_id)
);
create index events_by_position on events (partner_id, type, position) where position is not null;
create index events_by_quote on events (quote_id, partner_id, position) where quote_id is not null;
create index events_by_time on events (partner_id, type, occurred_at, position)
  where position is not null and occurred_at > '-infinity';
create index events_to_dispatch on events (partner_id, event_number) where dispatched_at is null;

-- Up to which position a partner's events were removed in whole or in part: who would go on reading before that is
-- told.
create table removed_events (
  partner_id text primary key references partners (partner_id),
  position bigint not null,
  -- The cursor of GET /Events names the partner's own last event instead of its position, which counted the events of
  -- every partner. So the last removed event is remembered too: a partner that has read it has missed nothing.
  event_id text not null
);

create function note_removed_events() returns trigger
language plpgsql as $$
begin
  insert into removed_events (partner_id, position, event_id)
    select distinct on (partner_id) partner_id, position, event_id from removed where position is not null
     order by partner_id, position desc
    on conflict (partner_id) do update set position = excluded.position, event_id = excluded.event_id
     where excluded.position > removed_events.position;
  return null;
end $$;

create trigger events_note_removed after delete on events referencing old table as removed
  for each statement execute function note_removed_events();

-- What a webhook missed is sent to it again, a batch at a time, by the workers.
create table replays (
  replay_id text not null,
  partner_id text not null references partners (partner_id),
  webhook_id text not null,
  -- Of the events' own times.
  since timestamptz not null,
  until timestamptz not null,
  -- No end was asked for: it goes up to the moment of asking, which is until.
  is_open boolean not null,
  -- stopped: the webhook was disabled meanwhile.
  status text not null check (status in ('running', 'completed', 'stopped')),
  -- The position of the last event looked at.
  position bigint not null default 0,
  redelivered_count integer not null default 0,
  missed_count integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  -- When a worker last looked at it: the longest unattended is next.
  worked_at timestamptz,
  finished_at timestamptz,
  primary key (replay_id, partner_id),
  check (since < until),
  check ((status = 'running') = (finished_at is null)),
  constraint replays_webhook_id_fkey foreign key (partner_id, webhook_id) references webhooks (partner_id, webhook_id)
);
create index replays_by_webhook on replays (webhook_id, partner_id, finished_at);
create unique index replays_running on replays (webhook_id, partner_id) where status = 'running';
select audit_table('replays', 'replay', 'replay_id',
  '{status, position, redelivered_count, missed_count, worked_at, finished_at}');

-- One row for each message still to be delivered to a webhook. It is removed when the delivery ends.
create table delivery_queue (
  delivery_id text not null,
  partner_id text not null,
  webhook_id text not null,
  -- The webhook-id header and the body's id, the same for every attempt. For an event, the event's id.
  message_id text not null,
  -- Null for a message of the webhook's own, such as its verification.
  event_id text,
  is_event boolean generated always as (event_id is not null) stored not null,
  event_number bigint,
  event_type text not null,
  quote_id text,
  -- What is sent, where it is not an event: an event's message is made of the event.
  own_body text,
  created_at timestamptz not null default clock_timestamp(),
  next_attempt_at timestamptz not null default clock_timestamp(),
  -- A first attempt that keeps the order of its quote's events: it waits for those with a lower event number.
  in_order boolean not null default false,
  -- Until then the worker with this lease is sending it. In no index, so that a lease is a heap-only update.
  lease_id text,
  leased_until timestamptz,
  attempt_count integer not null default 0,
  -- Attempts since it was queued or last redelivered: the position in the retry schedule.
  round_attempts integer not null default 0,
  -- Redelivered while it was being sent: should that attempt fail, a new round begins at once.
  restart boolean not null default false,
  -- The latest 100 attempts, oldest first.
  attempts json[] not null default '{}'::json[],
  primary key (delivery_id, partner_id),
  check ((event_id is null) = (own_body is not null)),
  foreign key (event_id, partner_id) references events (event_id, partner_id),
  foreign key (partner_id, webhook_id) references webhooks (partner_id, webhook_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create unique index delivery_queue_by_event on delivery_queue (event_id, webhook_id, partner_id)
  where event_id is not null;
create index delivery_queue_due on delivery_queue (webhook_id, is_event, next_attempt_at);
create index delivery_queue_in_order on delivery_queue (webhook_id, quote_id, event_number) where in_order;
create index delivery_queue_listed on delivery_queue (webhook_id, event_type, created_at desc, delivery_id desc);

-- One row for each delivery that arrived or was given up. No foreign keys: every row comes from the queue, and a
-- partition is dropped without locking other tables.
create table delivery_history (
  delivery_id text not null,
  partner_id text not null,
  webhook_id text not null,
  message_id text not null,
  event_id text,
  event_number bigint,
  event_type text not null,
  quote_id text,
  own_body text,
  created_at timestamptz not null,
  status text not null check (status in ('delivered', 'failed')),
  finished_at timestamptz not null default clock_timestamp(),
  -- Null unless it failed before its attempts were used up.
  given_up_because text check (given_up_because in ('webhook_disabled', 'challenge_replaced')),
  attempt_count integer not null default 0,
  attempts json[] not null default '{}'::json[],
  primary key (delivery_id, partner_id, created_at),
  check ((event_id is null) = (own_body is not null))
) partition by range (created_at);
create index delivery_history_by_event on delivery_history (event_id, webhook_id) where event_id is not null;
create index delivery_history_listed on delivery_history (webhook_id, status, event_type, created_at desc,
    delivery_id desc);
-- Messages about a webhook itself are few, and their recent attempts are counted while the webhook is not verified.
create index delivery_history_own on delivery_history (webhook_id) where event_id is null;

-- Takes deliveries of a day without a partition, so that no write ever fails for lack of one.
create table delivery_history_other partition of delivery_history default;
alter table delivery_history_other enable row level security;
alter table delivery_history_other force row level security;

-- Both together, for whoever reads deliveries.
create view deliveries with (security_invoker = true) as
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_id is not null as is_event, event_number,
      event_type, quote_id, own_body, created_at, 'pending'::text as status, null::timestamptz as finished_at,
      null::text as given_up_because, attempt_count, attempts, next_attempt_at, in_order, leased_until
    from delivery_queue
  union all
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_id is not null, event_number, event_type,
      quote_id, own_body, created_at, status, finished_at, given_up_because, attempt_count, attempts,
      null::timestamptz, false, null::timestamptz
    from delivery_history;

create function make_delivery_history_partition(day date) returns void
language plpgsql as $$
declare
  partition_name text := 'delivery_history_' || to_char(day, 'YYYYMMDD');
begin
  if to_regclass(format('public.%I', partition_name)) is not null then
    return;
  end if;
  execute format('create table public.%I partition of public.delivery_history for values from (%L) to (%L)',
                 partition_name, day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  -- Nothing is granted on a partition. This keeps out whoever might be granted something by mistake.
  execute format('alter table public.%I enable row level security', partition_name);
  execute format('alter table public.%I force row level security', partition_name);
exception when check_violation then
  return;
end $$;

create function maintain_delivery_history(old timestamptz) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  partition_name text;
  dropped integer := 0;
begin
  for ahead in 0..3 loop
    perform public.make_delivery_history_partition(today + ahead);
  end loop;
  for partition_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.delivery_history'::regclass and c.relname ~ '^delivery_history_\d{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (old at time zone 'UTC')::date
  loop
    execute format('drop table public.%I', partition_name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

select maintain_delivery_history(now() - interval '31 days');

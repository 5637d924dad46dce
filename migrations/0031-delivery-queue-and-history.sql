-- Deliveries become a small queue of what is pending and a history of what has ended, partitioned by the day they were made. Processes
-- of an earlier version have to be stopped first.

-- One row for each message still to be delivered to a webhook. It is removed when the delivery ends.
create table delivery_queue (
  delivery_id text primary key,
  partner_id text not null,
  webhook_id text not null,
  -- The webhook-id header and the body's id, the same for every attempt. For an event, the event's id.
  message_id text not null,
  -- Null for a message of the webhook's own, such as its verification.
  event_id text references events,
  is_event boolean not null generated always as (event_id is not null) stored,
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
  attempts json[] not null default '{}',
  foreign key (partner_id, webhook_id) references webhooks (partner_id, webhook_id),
  check ((event_id is null) = (own_body is not null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index delivery_queue_due on delivery_queue (webhook_id, is_event, next_attempt_at);
create index delivery_queue_in_order on delivery_queue (webhook_id, quote_id, event_number) where in_order;
create unique index delivery_queue_by_event on delivery_queue (event_id, webhook_id) where event_id is not null;
create index delivery_queue_listed on delivery_queue (webhook_id, event_type, created_at desc, delivery_id desc);

-- One row for each delivery that arrived or was given up. No foreign keys: every row comes from the queue, and a partition is dropped
-- without locking other tables.
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
  attempts json[] not null default '{}',
  primary key (delivery_id, created_at),
  check ((event_id is null) = (own_body is not null))
) partition by range (created_at);
create index delivery_history_by_event on delivery_history (event_id, webhook_id) where event_id is not null;
create index delivery_history_listed on delivery_history (webhook_id, status, event_type, created_at desc, delivery_id desc);
-- Takes what belongs to a day that has no partition, so that no write ever fails for lack of one.
create table delivery_history_other partition of delivery_history default;

-- Makes the partition of one UTC day, unless it is there. Where rows of that day are in the default partition already, they stay there.
create function make_delivery_history_partition(day date) returns void language plpgsql as $$
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

-- Makes the partitions of today and the next three days, and drops those that lie before `old` altogether. As the owner, since only the
-- owner may. Gives up rather than keep deliveries waiting for a lock.
create function maintain_delivery_history(old timestamptz) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  partition_name text;
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
  end loop;
end $$;

alter table delivery_history_other enable row level security;
alter table delivery_history_other force row level security;
revoke execute on function make_delivery_history_partition(date), maintain_delivery_history(timestamptz) from public;
grant execute on function maintain_delivery_history(timestamptz) to housebill_system;

-- What there was is carried over.
alter table deliveries no force row level security;
alter table earlier_attempts no force row level security;

select make_delivery_history_partition(day::date)
  from (select least(coalesce(min(created_at), now()), now()) as first from deliveries where created_at > now() - interval '31 days') made,
    generate_series((first at time zone 'UTC')::date, (now() at time zone 'UTC')::date + 3, interval '1 day') day;

create view carried_over as
  select d.*, coalesce(earlier.attempts, '{}') || case when d.last_started_at is null then '{}' else array[json_build_object(
      'attemptNumber', d.attempt_count, 'startedAt', d.last_started_at, 'durationMs', d.last_duration_ms,
      'requestHeaders', d.last_request_headers, 'responseStatus', d.last_response_status, 'responseBody', d.last_response_body,
      'error', d.last_error)] end as attempts
    from deliveries d left join lateral (
      select array_agg(json_build_object(
               'attemptNumber', e.attempt_number, 'startedAt', e.started_at, 'durationMs', e.duration_ms,
               'requestHeaders', e.request_headers, 'responseStatus', e.response_status, 'responseBody', e.response_body,
               'error', e.error) order by e.attempt_number) as attempts
        from (select * from earlier_attempts a where a.delivery_id = d.delivery_id order by a.attempt_number desc limit 99) e
    ) earlier on true;

insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body, created_at,
    next_attempt_at, in_order, lease_id, leased_until, attempt_count, round_attempts, restart, attempts)
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id,
      case when event_id is null then own_body end, created_at, coalesce(next_attempt_at, now()), in_order, lease_id, leased_until, attempt_count,
      greatest(attempt_count - round_start, 0), round_start > attempt_count, attempts
    from carried_over where status = 'pending';
insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body,
    created_at, status, finished_at, given_up_because, attempt_count, attempts)
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id,
      case when event_id is null then own_body end, created_at, status, coalesce(finished_at, created_at),
      coalesce(given_up_because, case when status = 'failed' and last_response_status = 410 then 'webhook_disabled' end), attempt_count, attempts
    from carried_over where status <> 'pending';

drop view carried_over;
drop table earlier_attempts, deliveries;

-- Both together, for whoever reads deliveries.
create view deliveries with (security_invoker = true) as
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_id is not null as is_event, event_number, event_type, quote_id,
      own_body, created_at, 'pending'::text as status, null::timestamptz as finished_at, null::text as given_up_because, attempt_count,
      attempts, next_attempt_at, in_order, leased_until
    from delivery_queue
  union all
  select delivery_id, partner_id, webhook_id, message_id, event_id, event_id is not null, event_number, event_type, quote_id,
      own_body, created_at, status, finished_at, given_up_because, attempt_count, attempts, null::timestamptz, false, null::timestamptz
    from delivery_history;

alter table delivery_queue enable row level security;
alter table delivery_queue force row level security;
create policy own_rows on delivery_queue to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
create policy read_for_delivery on delivery_queue for select to housebill_system using (true);
create policy dispatch on delivery_queue for insert to housebill_system with check (true);
create policy move on delivery_queue for update to housebill_system using (true) with check (true);
create policy take_out on delivery_queue for delete to housebill_system using (true);
grant select, insert, update, delete on delivery_queue to housebill_app;
grant select, insert, update (attempt_count, round_attempts, restart, in_order, next_attempt_at, lease_id, leased_until, attempts), delete
  on delivery_queue to housebill_system;

alter table delivery_history enable row level security;
alter table delivery_history force row level security;
create policy own_rows on delivery_history to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
create policy read_for_replays on delivery_history for select to housebill_system using (true);
create policy write_down on delivery_history for insert to housebill_system with check (true);
create policy delete_old on delivery_history for delete to housebill_system using (true);
grant select, insert, delete on delivery_history to housebill_app, housebill_system;
grant select on deliveries to housebill_app, housebill_system;

-- A process wakes its own worker after its commits, and notifies the others itself.
drop trigger events_wake_workers on events;
drop trigger replays_wake_workers on replays;
drop trigger webhooks_tell_workers on webhooks;
drop function wake_webhook_workers(), wake_workers_for_due_deliveries(), tell_workers_of_webhook();

-- Reading what was sent, sending it again, and reading events without a webhook.

-- An event's place in the order in which events were dispatched. Numbers are given before commit, so a later commit may have
-- a lower one; positions are given by the one dispatcher at a time, in its transaction: whoever has read up to one has
-- missed nothing before it. A sequence, not the greatest position so far: old events are removed.
create sequence event_positions;
alter table events add column position bigint;
update events e set position = placed.position
  from (select event_id, row_number() over (order by event_number) as position from events where dispatched_at is not null) placed
 where e.event_id = placed.event_id;
select setval('event_positions', greatest((select max(position) from events), 1), exists (select from events where position is not null));

-- By type, so that a list of any of the types is merged from as many scans, each ending with its page.
drop index events_by_partner;
create index events_by_position on events (partner_id, type, position) where position is not null;
create index events_by_time on events (partner_id, type, occurred_at, position) where position is not null;
create index events_by_quote on events (partner_id, quote_id, position);

-- Up to which position a partner's events were removed in whole or in part: who would go on reading before that is told.
create table removed_events (
  partner_id text primary key references partners,
  position bigint not null
);
create function note_removed_events() returns trigger language plpgsql as $$
begin
  insert into removed_events (partner_id, position)
    select partner_id, max(position) from removed where position is not null group by partner_id order by partner_id
    on conflict (partner_id) do update set position = greatest(removed_events.position, excluded.position);
  return null;
end $$;
create trigger events_note_removed after delete on events referencing old table as removed
  for each statement execute function note_removed_events();

-- Attempts made before the current round: a redelivery begins a new one, with the whole retry schedule. More than
-- attempt_count while the attempt under way is the last of its round.
alter table deliveries add column round_start integer not null default 0;
-- The first attempt of its round is yet to end, and the quote's next delivery waits for it.
alter table deliveries add column in_order boolean not null default false;
update deliveries set in_order = true where status = 'pending' and attempt_count = 0 and event_id is not null;
drop index deliveries_first_attempts;
create index deliveries_in_order on deliveries (webhook_id, quote_id, event_number) where status = 'pending' and in_order;

-- One index for every filter: a list of any statuses and types is merged from as many scans, each ending with its page.
drop index deliveries_by_webhook;
create index deliveries_listed on deliveries (webhook_id, status, event_type, created_at desc, delivery_id desc);
create unique index deliveries_by_event on deliveries (event_id, webhook_id) where event_id is not null;

create trigger deliveries_due_again_wake_workers after update of round_start on deliveries
  for each statement execute function wake_webhook_workers();

-- What a webhook missed is sent to it again, a batch at a time, by the workers.
create table replays (
  replay_id text primary key,
  partner_id text not null references partners,
  webhook_id text not null references webhooks on delete cascade,
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
  check (since < until),
  check ((status = 'running') = (finished_at is null))
);
create unique index replays_running on replays (webhook_id) where status = 'running';
create index replays_by_webhook on replays (webhook_id, finished_at);
create trigger replays_wake_workers after insert or update of since on replays
  for each statement execute function wake_webhook_workers();

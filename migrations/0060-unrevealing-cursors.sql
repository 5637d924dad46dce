-- The cursor of GET /Events names the partner's own last event instead of its position, which counted the events of every partner. So the
-- last removed event is remembered too: a partner that has read it has missed nothing.
alter table removed_events add column event_id text;
alter table removed_events no force row level security;
-- Nobody has a cursor for the events removed until now, so an invented id can stand for them.
update removed_events set event_id = 'event_' || left(translate(gen_random_uuid()::text, '-', ''), 26);
alter table removed_events force row level security;
alter table removed_events alter column event_id set not null;

create or replace function note_removed_events() returns trigger language plpgsql as $$
begin
  insert into removed_events (partner_id, position, event_id)
    select distinct on (partner_id) partner_id, position, event_id from removed where position is not null
     order by partner_id, position desc
    on conflict (partner_id) do update set position = excluded.position, event_id = excluded.event_id
     where excluded.position > removed_events.position;
  return null;
end $$;
revoke update (position) on removed_events from housebill_system;
grant update (position, event_id) on removed_events to housebill_system;

-- Whether a check with this request counted towards the partner's limit and both upstreams responded. Until the request expires, the partner's
-- other checks of the property do not count. What other partners have checked makes no difference.
alter table availability_requests add column is_charged boolean not null default false;

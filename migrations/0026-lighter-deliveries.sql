-- A delivery is written once where it was written twice. Processes of an earlier version have to be stopped first: they do not know
-- the new names, and fail at whatever they try with a delivery.

alter table deliveries no force row level security;
alter table delivery_attempts no force row level security;

-- What is old is found by the indexes that list it.
drop index deliveries_ended;
drop index events_dispatched;

-- An event's message is made of the event. Null for those; what was queued before this migration keeps its copy.
alter table deliveries rename column body to own_body;
alter table deliveries alter column own_body drop not null;
alter table deliveries add constraint deliveries_have_a_message check (own_body is not null or event_id is not null);

-- Nearly every delivery has one attempt: the latest is in its own row, and those before it are in a table.
alter table deliveries
  add column last_started_at timestamptz,
  add column last_duration_ms integer,
  add column last_request_headers json,
  add column last_response_status integer,
  add column last_response_body text,
  add column last_error text;

with latest as (
  delete from delivery_attempts a
  where a.attempt_number = (select max(m.attempt_number) from delivery_attempts m where m.delivery_id = a.delivery_id)
  returning a.*
)
update deliveries d
set attempt_count = greatest(d.attempt_count, l.attempt_number), last_started_at = l.started_at, last_duration_ms = l.duration_ms,
  last_request_headers = l.request_headers, last_response_status = l.response_status, last_response_body = l.response_body,
  last_error = l.error
from latest l where d.delivery_id = l.delivery_id;

alter table delivery_attempts rename to earlier_attempts;
alter table earlier_attempts rename constraint delivery_attempts_pkey to earlier_attempts_pkey;
alter table earlier_attempts rename constraint delivery_attempts_delivery_id_fkey to earlier_attempts_delivery_id_fkey;

grant update (last_started_at, last_duration_ms, last_request_headers, last_response_status, last_response_body, last_error)
  on deliveries to housebill_system;

alter table deliveries force row level security;
alter table earlier_attempts force row level security;

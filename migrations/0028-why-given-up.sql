-- Why a delivery was given up before its attempts were used up.
alter table deliveries no force row level security;
alter table deliveries
  add column given_up_because text check (given_up_because in ('webhook_disabled', 'challenge_replaced'));
update deliveries set given_up_because = 'webhook_disabled' where status = 'failed' and is_event and attempt_count = 0;
alter table deliveries force row level security;
grant update (given_up_because) on deliveries to housebill_system;

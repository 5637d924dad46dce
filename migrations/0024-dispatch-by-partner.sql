-- The notification says what there is to do, so that only the step whose work it is looks for it: 'events', 'deliveries', 'replays'.
-- Of each kind one transaction at a time notifies, as before. A worker of an earlier version looks at everything.
create or replace function wake_webhook_workers() returns trigger language plpgsql as $$
declare
  own_lock constant integer := case tg_table_name when 'events' then 1 when 'deliveries' then 4 else 5 end;
begin
  if pg_try_advisory_xact_lock(720845, own_lock) then
    perform pg_notify('housebill_webhooks', tg_table_name);
  end if;
  return null;
end $$;

-- Of new deliveries only those that some worker has yet to take up are worth a look.
create function wake_workers_for_due_deliveries() returns trigger language plpgsql as $$
begin
  if exists (select from inserted where next_attempt_at is not null and leased_until is null)
    and pg_try_advisory_xact_lock(720845, 4)
  then
    perform pg_notify('housebill_webhooks', tg_table_name);
  end if;
  return null;
end $$;

drop trigger deliveries_wake_workers on deliveries;
create trigger deliveries_wake_workers after insert on deliveries referencing new table as inserted
  for each statement execute function wake_workers_for_due_deliveries();

-- Dispatched fairly: some of each partner's, however many one of them has waiting.
drop index events_to_dispatch;
create index events_to_dispatch on events (partner_id, event_number) where dispatched_at is null;

-- What a worker holds ready for a webhook has to go back when the webhook is disabled, moved or deleted.
create function tell_workers_of_webhook() returns trigger language plpgsql as $$
begin
  perform pg_notify('housebill_webhooks', 'webhook ' || new.webhook_id);
  return null;
end $$;

create trigger webhooks_tell_workers after update on webhooks for each row
  when (old.url <> new.url or old.status <> new.status or old.deleted_at is distinct from new.deleted_at)
  execute function tell_workers_of_webhook();

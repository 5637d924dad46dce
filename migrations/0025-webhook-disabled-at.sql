-- Since when a webhook is disabled, so that its partner knows what it may have missed.
alter table webhooks add column disabled_at timestamptz;
update webhooks set disabled_at = updated_at where status = 'disabled';
grant update (disabled_at) on webhooks to housebill_system;

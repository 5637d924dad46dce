-- Webhooks that change, rotate their secret and are deleted.

-- A deleted webhook is gone for its partner at once; its row and its deliveries are removed in batches afterwards.
alter table webhooks add column deleted_at timestamptz;
alter table webhooks add check (deleted_at is null or status = 'disabled');
create index webhooks_deleted on webhooks (webhook_id) where deleted_at is not null;

-- Counts what makes earlier attempts say nothing about the webhook any more: another URL, or being enabled again.
alter table webhooks add column revision integer not null default 0;

-- The signing secrets, numbered from 1, the registration's. Several at a time sign while one is being rotated. No reference
-- to the webhook: one that the replay of an answer may ask for outlives it.
create table webhook_secrets (
  webhook_id text not null,
  secret_number integer not null,
  partner_id text not null references partners,
  secret_encrypted text not null,
  -- Signs until then; null for the current one. Real time by this database's clock.
  signs_until timestamptz,
  -- Until then the replay of the answer it was given in must find it; null where that request carried no Idempotency-Key.
  replayable_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (webhook_id, secret_number)
);
create unique index webhook_secrets_current on webhook_secrets (webhook_id) where signs_until is null;
create index webhook_secrets_ended on webhook_secrets (signs_until) where signs_until is not null;

insert into webhook_secrets (webhook_id, secret_number, partner_id, secret_encrypted, replayable_until, created_at)
  select webhook_id, 1, partner_id, secret_encrypted, created_at + interval '7 days', created_at from webhooks;
alter table webhooks drop column secret_encrypted;

-- An e-mail to a partner's contact that is due, was sent or was given up. It says what the e-mail is about by id; text and address are read when it is sent.
create table partner_mails (
  mail_id text primary key,
  partner_id text not null references partners,
  kind text not null check (kind in ('webhook_disabled', 'credential_ending')),
  -- The webhook, and when it was disabled; or the client id, and when the credential ends.
  subject_id text not null,
  subject_at timestamptz not null,
  -- How many days before the end of the credential it is sent; 0 for a webhook.
  days_before integer not null default 0,
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- Null once there is an outcome.
  next_attempt_at timestamptz,
  outcome text check (outcome in ('sent', 'given_up', 'obsolete')),
  unique (partner_id, kind, subject_id, subject_at, days_before),
  check ((next_attempt_at is null) = (outcome is not null))
);
create index partner_mails_due on partner_mails (next_attempt_at) where next_attempt_at is not null;
alter table partner_mails enable row level security;
alter table partner_mails force row level security;
create policy every_mail on partner_mails to housebill_system using (true) with check (true);
grant select, insert, delete, update (attempts, next_attempt_at, outcome) on partner_mails to housebill_system;

create table partners (
  partner_id text primary key,
  name text not null,
  disabled_at timestamptz,
  -- The sandbox clock: how far this partner's now runs ahead of real time. Always 0 in live.
  clock_offset_seconds bigint not null default 0
    check (clock_offset_seconds >= 0 and clock_offset_seconds <= 315576000),
  created_at timestamptz not null default now(),
  -- A suspended partner keeps its credentials, tokens and webhooks, but its calls are rejected until the operator
  -- resumes it.
  suspended_at timestamptz,
  -- Whom to write to at a partner (encrypted), and the calls a second that the operator allows it; null for the
  -- deployment's own limit.
  contact_email_encrypted text,
  requests_per_second integer check (requests_per_second >= 1 and requests_per_second <= 1000000),
  -- Who sends a tenant the confirmation that their contract is in force; null for the deployment's default.
  confirmations text check (confirmations in ('operator', 'partner')),
  -- Whether tenants who have opened their pages and not signed are reminded; null for yes.
  nudges text check (nudges in ('on', 'off')),
  -- Whether the partner's people can open tenants' contracts at the workplace; null for no.
  agent_documents text check (agent_documents in ('on', 'off')),
  -- The partner's pages to which tenants may be sent back; null for none.
  return_urls text[],
  -- What the partner calls itself in e-mails to tenants and on their pages; null for its name.
  sender_name text
);
select audit_table('partners', 'partner', 'partner_id');

create table credentials (
  client_id text primary key,
  partner_id text not null references partners (partner_id),
  -- scrypt, with its parameters and salt in the value; the secret itself is never stored.
  secret_hash text,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  -- After this moment the secret is rejected; null while it has no end. Set on the old one by a rotation.
  expires_at timestamptz,
  -- What the operator calls it: which program has it.
  name text,
  -- Also taken until the moment beside it: the secret before the last rotation. Both are null or neither.
  previous_secret_hash text,
  previous_secret_until timestamptz,
  -- The last day, in UTC, on which a token was issued for it.
  last_token_on date,
  -- A token belongs to the generation in which it was issued, and is accepted while the credential has the same one.
  token_generation integer not null default 0,
  -- The address ranges, such as 192.0.2.0/24, from which the credential may be used; null if every address may.
  allowed_from text[] check (cardinality(allowed_from) > 0),
  -- A keyed hash of ids, scopes and hashes of secrets: credentials that this deployment did not make open nothing.
  seal text not null default '',
  constraint previous_secret_has_an_end check ((previous_secret_hash is null) = (previous_secret_until is null))
);
create index credentials_by_partner on credentials (partner_id);
select audit_table('credentials', 'credential', 'client_id', '{last_token_on, seal}');

-- The revoked tokens. Their rows belong to no partner, because they are read before the caller is known. token_id is
-- the SHA-256 of the signed part of a token.
create table revoked_tokens (
  token_id text primary key,
  expires_at timestamptz not null,
  revoked_at timestamptz not null default clock_timestamp()
);
create index revoked_tokens_by_time on revoked_tokens (revoked_at);

create table program_sessions (
  -- SHA-256 of the cookie's value, which is not stored.
  session_hash text primary key,
  client_id text not null,
  token_encrypted text not null,
  expires_at timestamptz not null
);
create index program_sessions_by_expiry on program_sessions (expires_at) where expires_at > '-infinity';

-- People who sign in to pages: the operator's, whose partner is the operator's account, and those of partners. Programs
-- have credentials. What a role allows is in src/people/roles.ts.
create table people (
  person_id text not null,
  partner_id text not null references partners (partner_id),
  -- Name, the subject at the operator's identity provider and, until the person is removed, the e-mail address.
  details_encrypted text not null,
  -- Keyed hashes of the address, '' once removed, and of the subject.
  email_hash text not null,
  subject_hash text,
  roles text[] not null,
  -- What no role gives: it is given to a person by name.
  scopes text[] not null,
  branches text[] not null,
  -- 'active' from the first sign-in on. A removed person stays removed: somebody who comes back is invited again.
  state text not null default 'invited' check (state in ('invited', 'active', 'removed')),
  -- A client id, a person's id, a login on the machine, or 'identity provider'.
  invited_by text not null,
  invited_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (person_id, partner_id),
  check ((state = 'removed') = (email_hash = '')),
  check (state <> 'removed' or roles = '{}' and scopes = '{}'),
  check (roles <@ case when partner_id = 'partner_00000000000000000000000000'
                       then '{admin, finance, rates, support}'::text[]
                       else '{admin, agent, developer, reader}' end),
  check (scopes <@ case when partner_id = 'partner_00000000000000000000000000'
                        then '{psr:read}'::text[] else '{psr:read, customers:export}' end)
);
create index people_of_partner on people (partner_id, invited_at) where invited_at > '-infinity';
create index people_by_email on people (email_hash, partner_id) where email_hash > '';
-- A partner's people can share a mailbox. The operator's cannot, and sign in as one subject each.
create unique index people_of_operator on people (email_hash, partner_id)
  where partner_id = 'partner_00000000000000000000000000' and email_hash > '';
create unique index people_by_subject on people (subject_hash, partner_id) where subject_hash is not null;
select audit_table('people', 'person', 'person_id', '{last_seen_at}');

-- Who is signed in, and in which browser.
create table person_sessions (
  -- SHA-256 of the cookie's value, which is not stored.
  session_hash text not null,
  -- What names it in lists.
  session_id text not null,
  partner_id text not null,
  person_id text not null,
  -- Whether the person's mailbox was others' too when they signed in with a code.
  is_shared_mailbox boolean not null,
  browser text not null,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (session_hash, partner_id),
  foreign key (person_id, partner_id) references people (person_id, partner_id)
);
create unique index person_sessions_by_person on person_sessions (person_id, partner_id, session_id);
create index person_sessions_by_expiry on person_sessions (expires_at) where expires_at > '-infinity';
select audit_table('person_sessions', 'session', 'person_id', '{last_seen_at}');

-- Sign-ins that have begun: a code was e-mailed, the operator's identity provider was asked, or a link was printed. Who
-- signs in is not known yet, so they belong to no partner. Each is used once.
create table pending_sign_ins (
  -- SHA-256 of what only the browser or the link has.
  secret_hash text primary key,
  kind text not null check (kind in ('code', 'provider', 'link')),
  content_encrypted text not null,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at) where expires_at > '-infinity';

create table idempotency_keys (
  partner_id text not null,
  key text not null,
  -- SHA-256 over method, path and body bytes: the same key with another request is rejected.
  request_sha256 text not null,
  -- Names one attempt: only the attempt that still holds the claim may store its response.
  claim_id text not null,
  -- A claim whose process died is free again after this moment.
  claimed_until timestamptz not null,
  -- The finished 2xx response, encrypted, without its secrets; null while in flight.
  response_encrypted text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Which quote or customer a response is about; '' for neither.
  subject_id text,
  primary key (key, partner_id)
);
create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
create index idempotency_keys_by_subject on idempotency_keys (subject_id, partner_id) where subject_id > '';

-- An e-mail to a partner's contact that is due, was sent or was given up. It says what the e-mail is about by id; text
-- and address are read when it is sent.
create table partner_mails (
  mail_id text not null,
  partner_id text not null references partners (partner_id),
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
  primary key (mail_id, partner_id),
  check ((next_attempt_at is null) = (outcome is not null)),
  unique (subject_id, partner_id, kind, subject_at, days_before)
);
create index partner_mails_due on partner_mails (next_attempt_at) where next_attempt_at is not null;

-- The latest requests of each partner. Unlogged: writing them costs no write-ahead log, and a crash of PostgreSQL
-- empties the table.
create unlogged table sandbox_requests (
  partner_id text not null,
  entry_id text not null,
  at timestamptz not null,
  request_id text not null,
  method text not null,
  route text not null,
  operation_id text not null,
  status integer not null,
  code text,
  duration_ms integer not null,
  primary key (partner_id, entry_id)
);
create index sandbox_requests_by_age on sandbox_requests (at);

-- Credentials of the operator's own software. They belong to no partner, open only /operator-api, and only the system
-- role reads them.
create table operator_credentials (
  client_id text primary key,
  name text not null,
  secret_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_token_on date,
  disabled_at timestamptz,
  -- As in credentials.
  expires_at timestamptz,
  allowed_from text[] check (cardinality(allowed_from) > 0),
  seal text not null default ''
);
select audit_table('operator_credentials', 'operator credential', 'client_id', '{last_token_on, seal}');

-- Requests of the operator's software with an Idempotency-Key that make something. They are kept for ever, so that a
-- key never makes anything twice, even after what it made was removed. Two requests with one key wait for each other
-- here.
create table operator_requests (
  request_key_sha256 text primary key,
  request_sha256 text not null,
  subject_id text not null,
  created_at timestamptz not null
);

-- The keys that servers read when they start. Of each kind, the newest makes tokens, links or hashes, and all of
-- them verify or find.
create table key_ring (
  kind text not null check (kind in ('signing', 'links', 'hashes')),
  key_id text not null,
  secret_encrypted text not null,
  made_at timestamptz not null default clock_timestamp(),
  primary key (kind, key_id)
);
select audit_table('key_ring', 'key', 'key_id');

create table deployment_settings (
  name text primary key,
  -- Secrets are encrypted with ENCRYPTION_KEYS; plain facts are not.
  value text not null,
  created_at timestamptz not null default now()
);

-- One row for each scheduled job (src/app/scheduled-jobs.ts). Belongs to no partner. Times are the database's.
create table scheduled_jobs (
  name text primary key,
  -- The next run may begin. Stays in the past while a run is under way, so that a run that is cut off is repeated.
  due_at timestamptz not null,
  -- The process that runs it, and until when no other process may.
  runner uuid,
  leased_until timestamptz,
  started_at timestamptz,
  succeeded_at timestamptz,
  declared_at timestamptz not null default now(),
  -- How many runs have failed since the last one that succeeded.
  failures integer not null default 0
);

-- A row that /health/ready writes, to find out whether writes succeed. Truncating gives the table a new file, so a full
-- disk is noticed.
create table write_probe (
  probed_at timestamptz not null
);

-- As the owner, since no other role may empty a table.
create function probe_writes() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
begin
  truncate public.write_probe;
  insert into public.write_probe (probed_at) values (now());
end $$;

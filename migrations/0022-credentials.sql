-- Several credentials for a partner, secrets that change over, and credentials that end. How it is used: docs/authentication.md.

alter table credentials
  -- What the operator calls it: which program has it.
  add column name text,
  -- Also taken until the moment beside it: the secret before the last rotation. Both are null or neither.
  add column previous_secret_hash text,
  add column previous_secret_until timestamptz,
  -- The last day, in UTC, on which a token was issued for it.
  add column last_token_on date,
  add constraint previous_secret_has_an_end check ((previous_secret_hash is null) = (previous_secret_until is null));
comment on column credentials.expires_at is
  'After this moment its secrets and its tokens are refused; null while it has no end.';

grant update (previous_secret_hash, previous_secret_until, last_token_on), delete on credentials to housebill_system;

-- A day of use is bookkeeping, no change.
drop trigger audit on credentials;
create trigger audit after insert or update or delete on credentials
  for each row execute function audit_change('credential', 'client_id', 'last_token_on');

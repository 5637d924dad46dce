-- Credentials of the operator's own software. They belong to no partner, open only /operator-api, and only the system role reads them.
create table operator_credentials (
  client_id text primary key,
  name text not null,
  secret_hash text not null,
  -- The hash from before the last rotation; valid until previous_secret_until.
  previous_secret_hash text,
  previous_secret_until timestamptz,
  scopes text[] not null,
  token_generation integer not null default 0,
  created_at timestamptz not null,
  last_token_on date,
  disabled_at timestamptz
);
grant select, insert on operator_credentials to housebill_system;
grant update (secret_hash, previous_secret_hash, previous_secret_until, token_generation, last_token_on, disabled_at)
  on operator_credentials to housebill_system;

grant usage on schema proof to housebill_operator;

-- Sessions of the web console. The browser has only a random id in a cookie that scripts cannot read; its access token stays here, encrypted.
-- A session belongs to no partner's data: it is found by the hash of its id, before the partner is known.

create table console_sessions (
  session_hash text primary key,
  client_id text not null,
  token_encrypted text not null,
  expires_at timestamptz not null
);
create index console_sessions_by_expiry on console_sessions (expires_at);
comment on column console_sessions.session_hash is 'SHA-256 of the cookie''s value, which is not stored';
grant select, insert, delete, update (token_encrypted) on console_sessions to housebill_system;

-- Tokens can be ended before they expire, one by one or all of a credential's, and a credential can be limited to addresses.

-- The revoked tokens. Their rows belong to no partner, because they are read before the caller is known. token_id is the SHA-256 of the signed
-- part of a token.
create table revoked_tokens (
  token_id text primary key,
  expires_at timestamptz not null,
  revoked_at timestamptz not null default clock_timestamp()
);
create index revoked_tokens_by_time on revoked_tokens (revoked_at);
grant select, insert, delete on revoked_tokens to housebill_system;

-- A token belongs to the generation in which it was issued, and is accepted while the credential has the same one.
alter table credentials add column token_generation integer not null default 0;
-- The address ranges, such as 192.0.2.0/24, from which the credential may be used; null if every address may.
alter table credentials add column allowed_from text[] check (cardinality(allowed_from) > 0);
grant update (token_generation, allowed_from) on credentials to housebill_system;

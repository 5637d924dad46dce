-- Credentials can authenticate with a key instead of a secret, and their tokens can be bound to a key.

-- The client's public keys (RFC 7517). Credentials with keys have no secret.
alter table credentials add column client_keys jsonb,
  add constraint keys_replace_the_secret check (client_keys is null or secret_hash is null);
-- Whether only tokens that are bound to a key of the client (DPoP, RFC 9449) are issued and accepted.
alter table credentials add column requires_dpop boolean not null default false;
grant update (client_keys) on credentials to housebill_system;

-- The client assertions and DPoP proofs that were used, so that each one works once. Their rows belong to no partner, because the caller is not
-- known yet. proof_id is a SHA-256 that says nothing of the proof.
create table used_proofs (
  proof_id text primary key,
  expires_at timestamptz not null
);
create index used_proofs_by_expiry on used_proofs (expires_at);
grant select, insert, delete on used_proofs to housebill_system;

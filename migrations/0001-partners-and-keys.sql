-- Who may call us, and the keys we sign their tokens with.

create table partners (
  partner_id text primary key,
  name text not null,
  disabled_at timestamptz,
  -- The sandbox clock: how far this partner's now runs ahead of real time. Always 0 in live.
  clock_offset_seconds bigint not null default 0 check (clock_offset_seconds between 0 and 315576000),
  created_at timestamptz not null default now()
);

create table credentials (
  client_id text primary key,
  partner_id text not null references partners,
  -- scrypt, with its parameters and salt in the value; the secret itself is never stored.
  secret_hash text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  -- After this moment the secret is refused; null while it has no end. Set on the old one by a rotation.
  expires_at timestamptz
);
create index credentials_by_partner on credentials (partner_id);

create table signing_keys (
  key_id text primary key,
  public_jwk jsonb not null,
  -- The private key, encrypted with ENCRYPTION_KEYS.
  private_jwk_encrypted text not null,
  created_at timestamptz not null default now(),
  -- A retired key signs nothing more; its public half stays published until the last token it signed has expired.
  retired_at timestamptz
);
-- Several processes may start at once on an empty database: exactly one key becomes the signing one.
create unique index one_active_signing_key on signing_keys ((true)) where retired_at is null;

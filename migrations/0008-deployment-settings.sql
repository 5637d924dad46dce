-- One-off facts and secrets of this deployment, made at first start: the hash key, the contract link key, the sandbox's partner.

create table deployment_settings (
  name text primary key,
  -- Secrets are encrypted with ENCRYPTION_KEYS; plain facts are not.
  value text not null,
  created_at timestamptz not null default now()
);

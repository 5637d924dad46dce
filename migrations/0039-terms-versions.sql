-- Each version of the operator's terms, stored at the first start with it and never changed. Belongs to no partner.
create table terms_versions (
  version text primary key,
  -- Everything a tenant agrees to under this version, as JSON, and the SHA-256 of these bytes in hex.
  text text not null,
  sha256 text not null,
  stored_at timestamptz not null default now()
);
grant select on terms_versions to housebill_app;
grant select, insert on terms_versions to housebill_system;

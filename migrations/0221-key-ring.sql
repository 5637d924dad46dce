-- The keys that can be replaced while servers run. Of each kind, the newest makes tokens, links or hashes, and all of them verify or find.
create table key_ring (
  kind text not null check (kind in ('signing', 'links', 'hashes')),
  key_id text not null,
  secret_encrypted text not null,
  made_at timestamptz not null default clock_timestamp(),
  primary key (kind, key_id)
);
grant select, insert, update, delete on key_ring to housebill_system;
create trigger audit after insert or update or delete on key_ring
  for each row execute function audit_change('key', 'key_id');

drop table signing_keys;
delete from deployment_settings where name ~ '^(signing-keys|contract-link-keys?|hash-keys?)($|/)';

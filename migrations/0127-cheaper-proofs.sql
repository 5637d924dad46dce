-- The key never changes, so these two are declared immutable: a connection reads the key when it first verifies a proof, and PostgreSQL keeps it in the
-- plans of `proof.verified`. Reading it for each table of each statement took more time than the hashes.
create function proof.inner_pad() returns bytea
language sql immutable set search_path = pg_catalog, pg_temp as 'select inner_pad from proof.keys';

create function proof.outer_pad() returns bytea
language sql immutable set search_path = pg_catalog, pg_temp as 'select outer_pad from proof.keys';

revoke execute on function proof.inner_pad(), proof.outer_pad() from public;

create or replace function proof.verified(proof text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  signed text := substr(proof, 66);
begin
  if coalesce(proof, '') = '' then
    return null;
  end if;
  if left(proof, 64) is distinct from
     encode(sha256(proof.outer_pad() || sha256(proof.inner_pad() || convert_to(signed, 'UTF8'))), 'hex') then
    raise exception 'the proof of the partner is not valid' using errcode = 'insufficient_privilege';
  end if;
  if to_timestamp(split_part(signed, '|', 1)::bigint) < now() then
    raise exception 'the proof of the partner has expired: synchronise the clocks of Housebill and PostgreSQL'
      using errcode = 'insufficient_privilege';
  end if;
  return signed;
end $$;

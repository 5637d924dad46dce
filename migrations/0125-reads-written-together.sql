-- Writes the entries of many reads with one insert. Each proof is verified by itself and says whose its read is and who read.
create function proof.verified(proof text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  signed text := substr(proof, 66);
  key proof.keys;
begin
  if coalesce(proof, '') = '' then
    return null;
  end if;
  select * into key from proof.keys;
  if left(proof, 64) is distinct from
     encode(sha256(key.outer_pad || sha256(key.inner_pad || convert_to(signed, 'UTF8'))), 'hex') then
    raise exception 'the proof of the partner is not valid' using errcode = 'insufficient_privilege';
  end if;
  if to_timestamp(split_part(signed, '|', 1)::bigint) < now() then
    raise exception 'the proof of the partner has expired: synchronise the clocks of Housebill and PostgreSQL'
      using errcode = 'insufficient_privilege';
  end if;
  return signed;
end $$;

-- What the signed part of a proof says of its origin, as JSON.
create function proof.origin_of(signed text) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(nullif(substr(signed, length(split_part(signed, '|', 1)) + length(split_part(signed, '|', 2)) + 3), ''), '{}')::jsonb
$$;

create or replace function proof.partner() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return split_part(proof.verified(current_setting('housebill.proof', true)), '|', 2);
end $$;

create or replace function proof.origin() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return proof.origin_of(proof.verified(current_setting('housebill.proof', true)));
end $$;

drop function proof.proven();
revoke execute on function proof.verified(text), proof.origin_of(text) from public;

create or replace function write_reads(proofs text[], subject_types text[], customer_ids text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id, customer_id)
  select nullif(split_part(signed, '|', 2), ''), coalesce(origin ->> 'actor', 'database'),
         case when origin ? 'actor' then origin ->> 'credential' else session_user end,
         origin ->> 'requestId', origin ->> 'operation', 'read', subject_type, customer_id, customer_id
    from unnest(proofs, subject_types, customer_ids) as read (proof, subject_type, customer_id)
   cross join lateral (select proof.verified(read.proof) as signed offset 0) verified
   cross join lateral (select proof.origin_of(signed) as origin offset 0) who;
end $$;

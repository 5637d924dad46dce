-- The partner and the origin of a transaction come from a proof: a text that the program signs with a key that only the tables' owner can
-- read. So a statement that was smuggled in cannot choose another partner, nor the actor that the audit log records.
-- The schema is not called housebill: that is the name of the private server's login, so it would come first in its search path.
create schema proof;
grant usage on schema proof to housebill_app, housebill_system;

-- HMAC-SHA-256 (RFC 2104) needs the key twice, xored with two constants. The program stores both at its first start.
create table proof.keys (
  is_only boolean primary key default true check (is_only),
  inner_pad bytea not null check (length(inner_pad) = 64),
  outer_pad bytea not null check (length(outer_pad) = 64)
);
revoke all on proof.keys from public;

-- The signed part of the transaction's proof, `expiry|partner|origin`, or null if it has none. now() is the start of the transaction, so a
-- proof holds until the transaction ends. An invalid proof is an error: otherwise an update would silently change nothing.
create function proof.proven() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  proof text := current_setting('housebill.proof', true);
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

-- The partner of the transaction; null or empty if it has none. Policies use it in a sub-select, which runs once per table and statement.
create function proof.partner() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return split_part(proof.proven(), '|', 2);
end $$;

-- Who makes the transaction's changes, as JSON; empty if the transaction has no proof.
create function proof.origin() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  signed text := proof.proven();
begin
  return coalesce(nullif(substr(signed, length(split_part(signed, '|', 1)) + length(split_part(signed, '|', 2)) + 3), ''), '{}')::jsonb;
end $$;

revoke execute on function proof.proven(), proof.partner(), proof.origin() from public;
grant execute on function proof.partner() to housebill_app, housebill_system;

do $$
declare
  name text;
begin
  for name in select polrelid::regclass from pg_policy where polname = 'own_rows' loop
    execute format('alter policy own_rows on %s using (partner_id = (select proof.partner()))
                    with check (partner_id = (select proof.partner()))', name);
  end loop;
end $$;

-- Only these functions, which run as the owner, insert audit entries.
drop policy own_rows on public.audit_log;
drop policy write_down on public.audit_log;
create policy own_rows on public.audit_log for select to housebill_app using (partner_id = (select proof.partner()));
create policy write_down on public.audit_log for insert to current_user with check (true);
revoke insert on public.audit_log from housebill_app, housebill_system;

alter function public.write_audit_entry(text, text, text, text, text, text, text[]) rename to insert_audit_entry;
alter function public.insert_audit_entry(text, text, text, text, text, text, text[]) set schema proof;

create or replace function proof.insert_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[])
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  origin jsonb := proof.origin();
begin
  insert into public.audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id, quote_id,
                                customer_id, fields)
  values (insert_audit_entry.partner_id, coalesce(origin ->> 'actor', 'database'),
          case when origin ? 'actor' then origin ->> 'credential' else session_user end,
          origin ->> 'requestId', origin ->> 'operation', insert_audit_entry.action, insert_audit_entry.subject_type,
          insert_audit_entry.subject_id, insert_audit_entry.quote_id, insert_audit_entry.customer_id, insert_audit_entry.fields);
end $$;
revoke execute on function proof.insert_audit_entry(text, text, text, text, text, text, text[]) from public;

create or replace function public.audit_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before jsonb := to_jsonb(old);
  after jsonb := to_jsonb(new);
  subject jsonb := coalesce(after, before);
  bookkeeping text[] := tg_argv[2:];
  changed text[];
begin
  select coalesce(array_agg(regexp_replace(key, '_encrypted$', '') order by key), '{}') into changed
    from jsonb_each(subject)
   where key <> all (bookkeeping)
     and case tg_op when 'UPDATE' then value is distinct from before -> key else value <> 'null' end;
  if tg_op = 'UPDATE' and changed = '{}' then
    return null;
  end if;
  perform proof.insert_audit_entry(
    subject ->> 'partner_id', case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_argv[0], subject ->> tg_argv[1], subject ->> 'quote_id', subject ->> 'customer_id', changed);
  return null;
end $$;

-- For what no trigger sees, such as reads: only in the name of the transaction's own partner.
create function public.write_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[])
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if write_audit_entry.partner_id is distinct from proof.partner() then
    raise exception 'an audit entry must belong to the partner of the transaction' using errcode = 'insufficient_privilege';
  end if;
  perform proof.insert_audit_entry(partner_id, action, subject_type, subject_id, quote_id, customer_id, fields);
end $$;
revoke execute on function public.write_audit_entry(text, text, text, text, text, text, text[]) from public;
grant execute on function public.write_audit_entry(text, text, text, text, text, text, text[]) to housebill_app;

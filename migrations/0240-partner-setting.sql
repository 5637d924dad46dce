-- A transaction belongs to the partner in `housebill.partner`, which the service sets for as long as the transaction lasts. After it, the
-- setting is empty, which is no partner's id.
create function insert_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[])
returns void language sql as $$
  insert into public.audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id, quote_id,
                                customer_id, fields)
  select coalesce(partner_id, 'partner_00000000000000000000000000'), coalesce(origin ->> 'actor', 'database'),
         case when origin ? 'actor' then origin ->> 'credential' else session_user end,
         origin ->> 'requestId', origin ->> 'operation', action, subject_type, subject_id, quote_id, customer_id, fields
    from (select coalesce(nullif(current_setting('housebill.origin', true), ''), '{}')::jsonb as origin) acting
$$;

drop function write_audit_entry(text, text, text, text, text, text, text[]), write_operator_read(text, jsonb), write_reads(text[], text[], text[]);

-- Rights to whole tables instead of columns. The role of the operator's software becomes one with the role across partners.
do $$
declare
  held record;
  name text;
begin
  create temporary table rights on commit drop as
    select distinct case grantee when 'housebill_operator' then 'housebill_system' else grantee end as grantee,
           table_schema, table_name, privilege_type
      from (select grantee, table_schema, table_name, privilege_type from information_schema.column_privileges
             union all
            select grantee, table_schema, table_name, privilege_type from information_schema.table_privileges) granted
     where grantee in ('housebill_app', 'housebill_system', 'housebill_operator') and table_schema = 'public';
  for name in select distinct format('%I.%I', table_schema, table_name) from rights loop
    execute format('revoke all on %s from housebill_app, housebill_system, housebill_operator', name);
  end loop;
  for held in select * from rights loop
    execute format('grant %s on %I.%I to %I', held.privilege_type, held.table_schema, held.table_name, held.grantee);
  end loop;
  for name in select polrelid::regclass::text || '|' || quote_ident(polname) from pg_policy
              where polrelid in (select oid from pg_class where not relispartition) loop
    execute format('drop policy %s on %s', split_part(name, '|', 2), split_part(name, '|', 1));
  end loop;
  for name in
    select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and c.relrowsecurity and not c.relispartition and n.nspname in ('public', 'simulated_processor') loop
    if name not like 'simulated_processor.%' then
      execute format(
        $policy$create policy own_rows on %s to housebill_app using (partner_id = (select current_setting('housebill.partner', true)))$policy$,
        name);
    end if;
    execute format('create policy all_rows on %s to housebill_system using (true)', name);
  end loop;
end $$;
grant select, insert on audit_log to housebill_app, housebill_system;
revoke usage on schema public from housebill_operator;

create or replace function public.audit_change() returns trigger language plpgsql security invoker as $$
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
  perform public.insert_audit_entry(
    subject ->> 'partner_id', case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_argv[0], subject ->> tg_argv[1], subject ->> 'quote_id', subject ->> 'customer_id', changed);
  return null;
end $$;

drop schema proof cascade;

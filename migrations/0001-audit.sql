-- The audit log: who changed or read what, and when. The triggers that audit_table makes write it.

-- Names of what changed, never a value. Rows are added by the triggers below, in the transaction of the change, so that
-- no operation can forget it; a reading of health data adds one too.
create table audit_log (
  entry_number bigint generated always as identity,
  partner_id text not null,
  at timestamptz not null default clock_timestamp(),
  actor text not null check (actor in ('client', 'operator', 'processor', 'worker', 'link', 'tenant', 'database')),
  -- The client id, the operator's login on the machine, or the login at the database.
  credential text,
  request_id text,
  operation text,
  action text not null
    check (action in ('created', 'changed', 'removed', 'asked', 'exported', 'read', 'psr.read')),
  subject_type text not null,
  subject_id text not null,
  quote_id text,
  customer_id text,
  fields text[] not null default '{}',
  primary key (partner_id, entry_number, at)
) partition by range (at);
create index audit_log_by_customer on audit_log (partner_id, customer_id, entry_number) where customer_id is not null;

-- Writes an entry about a row of a partner or, without one, of the operator's. Who acts is in the setting of the
-- transaction, `housebill.origin`.
create function insert_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[]
) returns void
language sql as $$
  insert into public.audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id,
                                quote_id, customer_id, fields)
  select coalesce(partner_id, 'partner_00000000000000000000000000'), coalesce(origin ->> 'actor', 'database'),
         case when origin ? 'actor' then origin ->> 'credential' else session_user end,
         origin ->> 'requestId', origin ->> 'operation', action, subject_type, subject_id, quote_id, customer_id, fields
    from (select coalesce(nullif(current_setting('housebill.origin', true), ''), '{}')::jsonb as origin) acting
$$;

-- Holds for the owner too, and for every partition.
create function reject_audit_log_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the audit log is append-only: entries are never changed, and leave with their month after six years at the earliest';
end $$;

create trigger audit_log_is_append_only before delete or update on audit_log
  for each row execute function reject_audit_log_change();

create trigger audit_log_is_never_emptied before truncate on audit_log
  for each statement execute function reject_audit_log_change();

-- Adds a partition. Nothing is granted on it, because only the whole log is read and written. A new partition is
-- complete before it is attached, so that nobody waits to write meanwhile.
create function attach_to_audit_log(partition_name text, bounds text) returns void
language plpgsql as $$
begin
  if to_regclass(format('public.%I', partition_name)) is null then
    execute format('create table public.%I (like public.audit_log including all excluding identity)', partition_name);
    -- A trigger for statements is not passed on to partitions.
    execute format('create trigger audit_log_is_never_emptied before truncate on public.%I
                    for each statement execute function public.reject_audit_log_change()', partition_name);
  end if;
  execute format('alter table public.%I enable row level security', partition_name);
  execute format('alter table public.%I force row level security', partition_name);
  execute format('alter table public.audit_log attach partition public.%I %s', partition_name, bounds);
end $$;

-- Makes the partition of the month that begins on this day, unless there is one. If the default partition has entries
-- of this month, they stay there, and so does what the month still brings.
create function make_audit_log_partition(month date) returns void
language plpgsql as $$
begin
  if exists (select from pg_inherits join pg_class c on c.oid = inhrelid
              where inhparent = 'public.audit_log'::regclass
                and c.relname = 'audit_log_' || to_char(month, 'YYYYMM')) then
    return;
  end if;
  perform public.attach_to_audit_log('audit_log_' || to_char(month, 'YYYYMM'),
    format('for values from (%L) to (%L)', month::timestamp at time zone 'UTC',
           (month + interval '1 month') at time zone 'UTC'));
exception when check_violation then
  return;
end $$;

-- Takes what belongs to a month that has no partition, so that no write ever fails for lack of one. The owner looks
-- into it to see whether it may go.
create function make_audit_log_other() returns void
language plpgsql as $$
begin
  perform public.attach_to_audit_log('audit_log_other', 'default');
  create policy find_latest on public.audit_log_other for select to current_user using (true);
end $$;

-- Makes the partitions of this month and the next two, and drops those whose months lie before `kept_since` altogether.
-- Returns how many it dropped. Never drops an entry that is younger than six years. As the owner, since only the owner
-- may. Gives up rather than keep writers waiting.
create function maintain_audit_log(kept_since timestamptz) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '250ms' as $$
declare
  this_month date := date_trunc('month', now() at time zone 'UTC');
  cut_off timestamptz := date_trunc('month', kept_since at time zone 'UTC') at time zone 'UTC';
  partition_name text;
  dropped integer := 0;
begin
  if kept_since is null or kept_since > now() - interval '6 years' then
    raise exception 'the audit log is kept for six years at least' using errcode = 'insufficient_privilege';
  end if;
  for ahead in 0..2 loop
    perform public.make_audit_log_partition((this_month + ahead * interval '1 month')::date);
  end loop;
  for partition_name in
    select c.relname from pg_inherits join pg_class c on c.oid = inhrelid
     where inhparent = 'public.audit_log'::regclass and c.relname ~ '^audit_log_\d{6}$'
       and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= cut_off
  loop
    execute format('drop table public.%I', partition_name);
    dropped := dropped + 1;
  end loop;
  if exists (select from public.audit_log_other)
     and not exists (select from public.audit_log_other where at >= cut_off) then
    drop table public.audit_log_other;
    perform public.make_audit_log_other();
    dropped := dropped + 1;
  end if;
  return dropped;
end $$;

-- For the functions of the triggers.
create schema audit;

-- Makes the trigger that writes an entry for each inserted, changed or removed row of a table. "kind" and the column
-- "id" say in the entry what the row is; a change of none but the columns in "unaudited" writes no entry. The function
-- of the trigger names the table's columns, so call this again in a migration that adds or removes one.
create function audit_table(audited regclass, kind text, id text, unaudited text[] default '{}') returns void
language plpgsql as $make$
declare
  function_name text := (select format('audit.%I', 'change_of_' || relname) from pg_class where oid = audited);
  columns text[] := array(select attname::text from pg_attribute
                           where attrelid = audited and attnum > 0 and not attisdropped);
  -- Two json values cannot be compared, but their texts can.
  changes text := (
    select string_agg(format('case when new.%1$I%3$s is distinct from old.%1$I%3$s then %2$L end', attname,
                             regexp_replace(attname, '_encrypted$', ''),
                             case when atttypid = 'json'::regtype then '::text' end),
                      ', ' order by attname)
      from pg_attribute where attrelid = audited and attname = any (columns) and attname <> all (unaudited));
  entry text := format('perform public.insert_audit_entry(%s, <action>, %L, <row>.%I::text, %s, %s, changed);',
                       case when 'partner_id' = any (columns) then '<row>.partner_id' else 'null' end, kind, id,
                       case when 'quote_id' = any (columns) then '<row>.quote_id' else 'null' end,
                       case when 'customer_id' = any (columns) then '<row>.customer_id' else 'null' end);
begin
  -- Without a row before or after the change, all columns of "old" or "new" are null.
  execute format($function$
    create or replace function %s() returns trigger language plpgsql as $body$
    declare
      changed text[] := array_remove(array[%s], null);
    begin
      if tg_op = 'DELETE' then
        %s
      elsif tg_op = 'INSERT' then
        %s
      elsif changed <> '{}' then
        %s
      end if;
      return null;
    end $body$ $function$, function_name, changes,
    replace(replace(entry, '<row>', 'old'), '<action>', $$'removed'$$),
    replace(replace(entry, '<row>', 'new'), '<action>', $$'created'$$),
    replace(replace(entry, '<row>', 'new'), '<action>', $$'changed'$$));
  -- The arguments are for whoever reads the catalogue: the function does not use them.
  execute format('create or replace trigger audit after insert or update or delete on %s '
                 'for each row execute function %s(%s)',
                 audited, function_name,
                 (select string_agg(quote_literal(argument), ', ' order by ordinal)
                    from unnest(array[kind, id] || unaudited) with ordinality as given (argument, ordinal)));
end $make$;

select make_audit_log_other(), maintain_audit_log(now() - interval '6 years');

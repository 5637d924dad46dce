-- Nothing for data of versions that never were.
drop table plain_references;
alter table quotes drop column supply_rule_applies;

create or replace function maintain_audit_log(kept_since timestamptz) returns integer
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
  if exists (select from public.audit_log_other) and not exists (select from public.audit_log_other where at >= cut_off) then
    drop table public.audit_log_other;
    perform public.make_audit_log_other();
    dropped := dropped + 1;
  end if;
  return dropped;
end $$;

create or replace function make_audit_log_partition(month date) returns void language plpgsql as $$
begin
  if exists (select from pg_inherits join pg_class c on c.oid = inhrelid
              where inhparent = 'public.audit_log'::regclass
                and c.relname = 'audit_log_' || to_char(month, 'YYYYMM')) then
    return;
  end if;
  perform public.attach_to_audit_log('audit_log_' || to_char(month, 'YYYYMM'),
    format('for values from (%L) to (%L)', month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'));
exception when check_violation then
  return;
end $$;

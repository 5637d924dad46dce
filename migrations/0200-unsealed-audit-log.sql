-- The audit log is protected by grants, triggers and partitions alone: nothing is sealed. Whoever owns the database can change the log anyway; logs that
-- nobody may rewrite belong into storage outside it.

drop function seal_audit_log();
drop function delete_old_audit_seals(text, integer);
drop function audit_entry_text(audit_log);
drop table audit_seals, audit_epochs, audit_removals;
drop policy seal on audit_log;

-- Makes the partitions of this month and the next two, and drops those whose months lie before `kept_since` altogether. Returns how many it dropped. Never
-- drops an entry that is younger than six years. As the owner, since only the owner may. Gives up rather than keep writers waiting.
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
     where inhparent = 'public.audit_log'::regclass and c.relname ~ '^audit_log_(to_)?\d{6}$'
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

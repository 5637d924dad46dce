-- Says how many days it dropped. To count the rows instead, every one of them was read before it left.
drop function maintain_delivery_history(timestamptz);
create function maintain_delivery_history(old timestamptz) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  today date := (now() at time zone 'UTC')::date;
  partition_name text;
  dropped integer := 0;
begin
  for ahead in 0..3 loop
    perform public.make_delivery_history_partition(today + ahead);
  end loop;
  for partition_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'public.delivery_history'::regclass and c.relname ~ '^delivery_history_\d{8}$'
       and to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (old at time zone 'UTC')::date
  loop
    execute format('drop table public.%I', partition_name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
revoke execute on function maintain_delivery_history(timestamptz) from public;
grant execute on function maintain_delivery_history(timestamptz) to housebill_system;

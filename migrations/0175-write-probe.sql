-- A row that /health/ready writes, to find out whether writes succeed. Truncating gives the table a new file, so a full disk is noticed.
create table write_probe (probed_at timestamptz not null);

-- As the owner, since no other role may empty a table.
create function probe_writes() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
begin
  truncate public.write_probe;
  insert into public.write_probe (probed_at) values (now());
end $$;
revoke execute on function probe_writes() from public;
grant execute on function probe_writes() to housebill_system;

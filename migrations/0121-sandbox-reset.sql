-- A sandbox's partner can delete its data. The rights for it are given to the runtime role at the start of a sandbox and never in live
-- (src/db/isolation/allow-sandbox-reset.ts); this only makes them possible.

-- Whether the database is a sandbox's. The start of a sandbox replaces it.
create function is_sandbox() returns boolean language sql immutable as 'select false';

create or replace function commission_never_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and public.is_sandbox() then return old; end if;
  raise exception '% are append-only: book a correction in an open month instead', tg_table_name;
end $$;

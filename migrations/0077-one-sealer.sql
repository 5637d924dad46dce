-- Sealing locked the last epoch. While another process held it, the search for an unlocked row went on to an earlier epoch, and two processes
-- sealed at once. And a process that had read the transaction number before it waited could take the other's progress for a restore. Now the
-- first epoch is the lock, and everything else is read while it is held.
create or replace function seal_audit_log() returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  current_epoch public.audit_epochs;
  below xid8;
  next_transaction xid8;
  is_restored boolean;
  entry public.audit_log;
  seal public.audit_seals;
  sealed integer := 0;
begin
  perform from public.audit_epochs where epoch = 1 for update skip locked;
  if not found then
    return 0;
  end if;
  select * into current_epoch from public.audit_epochs order by epoch desc limit 1;
  below := pg_snapshot_xmin(pg_current_snapshot());
  next_transaction := pg_snapshot_xmax(pg_current_snapshot());
  is_restored := next_transaction < current_epoch.sealed_below;
  if is_restored then
    -- Seals what the dump contained and nobody had sealed.
    below := '18446744073709551615';
  else
    select least(below, max(batch.transaction_id)) into below from (
      select transaction_id from public.audit_log
       where transaction_id > current_epoch.sealed_below and entry_number > current_epoch.after_entry
       order by transaction_id limit 20000) batch having count(*) = 20000;
    below := coalesce(below, pg_snapshot_xmin(pg_current_snapshot()));
  end if;
  for entry in
    select * from public.audit_log
     where transaction_id >= current_epoch.sealed_below and transaction_id < below and entry_number > current_epoch.after_entry
     order by partner_id, transaction_id, entry_number
  loop
    if seal.partner_id is distinct from entry.partner_id then
      if seal.partner_id is not null then
        insert into public.audit_seals select seal.*;
      end if;
      select entry.partner_id, coalesce(max(s.seal_number), 0) + 1, current_epoch.epoch, current_epoch.sealed_below, below, 0, entry.at,
             coalesce((array_agg(s.hash order by s.seal_number desc))[1], ''), '', clock_timestamp()
        into seal
        from (select seal_number, hash from public.audit_seals where partner_id = entry.partner_id order by seal_number desc limit 1) s;
      seal.hash := sha256(seal.previous_hash || convert_to(seal.partner_id || ' ' || seal.seal_number, 'UTF8'));
    end if;
    seal.entry_count := seal.entry_count + 1;
    seal.last_entry_at := greatest(seal.last_entry_at, entry.at);
    seal.hash := sha256(seal.hash || sha256(convert_to(public.audit_entry_text(entry), 'UTF8')));
    sealed := sealed + 1;
  end loop;
  if seal.partner_id is not null then
    insert into public.audit_seals select seal.*;
  end if;
  if is_restored then
    insert into public.audit_epochs
      -- PostgreSQL's own number of the transaction that wrote a row (xmin) differs in rows that a restore wrote.
      select current_epoch.epoch + 1, coalesce(max(entry_number), current_epoch.after_entry), '0' from public.audit_log
       where xmin::text <> (transaction_id::text::numeric % 4294967296)::text;
  else
    update public.audit_epochs set sealed_below = below where epoch = current_epoch.epoch and sealed_below < below;
  end if;
  return sealed;
end $$;

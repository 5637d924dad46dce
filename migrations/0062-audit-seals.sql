-- The audit log becomes tamper-evident. Entries carry the number of their transaction and are inserted as before. Every few seconds, one
-- function seals what is new: one seal per partner, whose hash covers its entries and the seal before.
alter table audit_log add column transaction_id xid8 not null default '0';
alter table audit_log alter column transaction_id set default pg_current_xact_id();
create index audit_log_by_transaction on audit_log (transaction_id);
drop index audit_log_by_age;

-- Transaction numbers start again when a dump is restored into another cluster. An epoch ends there: its entries have numbers up to the next
-- epoch's `after_entry`.
create table audit_epochs (
  epoch integer primary key,
  after_entry bigint not null,
  sealed_below xid8 not null
);
insert into audit_epochs values (1, 0, '0');

create table audit_seals (
  partner_id text not null references partners,
  seal_number bigint not null,
  epoch integer not null references audit_epochs,
  from_transaction xid8 not null,
  below_transaction xid8 not null,
  entry_count integer not null,
  last_entry_at timestamptz not null,
  previous_hash bytea not null,
  hash bytea not null,
  sealed_at timestamptz not null default clock_timestamp(),
  primary key (partner_id, seal_number)
);
create index audit_seals_by_age on audit_seals (last_entry_at);
alter table audit_seals enable row level security;
alter table audit_seals force row level security;
create policy own_rows on audit_seals for select to housebill_app using (partner_id = (select proof.partner()));
create policy find_heads on audit_seals for select to housebill_system using (true);
create policy seal on audit_seals to current_user using (true) with check (true);
grant select on audit_seals to housebill_app, housebill_system;
grant select on audit_epochs to housebill_app;

-- The functions below run as the owner.
create policy seal on audit_log for select to current_user using (true);
create policy delete_sealed on audit_log for delete to current_user using (at < now() - interval '6 years');
drop policy delete_old on audit_log;
drop policy find_old on audit_log;
revoke all on audit_log from housebill_system;

-- What the hash of a seal covers of an entry. `audit verify` computes the hash from the same text.
create function audit_entry_text(entry audit_log) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_array(entry.entry_number, entry.transaction_id::text, extract(epoch from entry.at)::text, entry.partner_id, entry.actor,
                           entry.credential, entry.request_id, entry.operation, entry.action, entry.subject_type, entry.subject_id,
                           entry.quote_id, entry.customer_id, entry.fields)::text
$$;

-- Seals the entries of all transactions that have ended and that no older transaction can precede. Seals about 20,000 entries at most and
-- returns how many; call it again until it returns 0. If another process is sealing, does nothing.
create function seal_audit_log() returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  current_epoch public.audit_epochs;
  below xid8 := pg_snapshot_xmin(pg_current_snapshot());
  next_transaction xid8 := pg_snapshot_xmax(pg_current_snapshot());
  is_restored boolean;
  entry public.audit_log;
  seal public.audit_seals;
  sealed integer := 0;
begin
  select * into current_epoch from public.audit_epochs order by epoch desc limit 1 for update skip locked;
  if not found then
    return 0;
  end if;
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

-- Deletes seals whose entries are all older than six years, with these entries. Returns how many entries it deleted.
create function delete_old_audit_entries() returns integer language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted integer;
begin
  with old as (
    delete from public.audit_seals where last_entry_at < now() - interval '6 years'
    returning partner_id, epoch, from_transaction, below_transaction
  ), gone as (
    delete from public.audit_log l using old o
     where l.partner_id = o.partner_id and l.transaction_id >= o.from_transaction and l.transaction_id < o.below_transaction
       and l.entry_number > (select after_entry from public.audit_epochs e where e.epoch = o.epoch)
       and l.entry_number <= coalesce((select min(after_entry) from public.audit_epochs e where e.epoch > o.epoch), 9223372036854775807)
    returning 1
  )
  select count(*) into deleted from gone;
  return deleted;
end $$;

revoke execute on function audit_entry_text(audit_log), seal_audit_log(), delete_old_audit_entries() from public;
grant execute on function seal_audit_log(), delete_old_audit_entries() to housebill_system;
grant execute on function audit_entry_text(audit_log) to housebill_app;

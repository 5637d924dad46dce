-- The audit log becomes partitioned by the month (UTC) of its entries. Old entries leave with their month, which is dropped: to delete rows costs as much
-- as to write them. The entries that there are already become one partition of their own. They are read twice and get one index, and nothing is copied.

drop function audit_entry_text(audit_log);
drop function delete_old_audit_entries();
drop trigger audit_log_is_append_only on audit_log;
drop policy own_rows on audit_log;
drop policy write_down on audit_log;
drop policy seal on audit_log;
drop policy delete_sealed on audit_log;
drop policy find_changed_quotes on audit_log;
revoke all on audit_log from housebill_app, housebill_system;
revoke select (partner_id, quote_id, transaction_id) on audit_log from housebill_system;
-- The owner has to see the entries: where no policy lets it, the table would look empty.
alter table audit_log no force row level security;
alter table audit_log drop constraint audit_log_pkey;
alter table audit_log rename to audit_log_earlier;
alter index audit_log_by_customer rename to audit_log_earlier_by_customer;
drop index audit_log_by_partner;
alter index audit_log_by_transaction rename to audit_log_earlier_by_transaction;
alter sequence audit_log_entry_number_seq rename to audit_log_earlier_number_seq;

create table audit_log (
  entry_number bigint generated always as identity,
  partner_id text not null,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  -- The client id, the operator's login on the machine, or the login at the database.
  credential text,
  request_id text,
  operation text,
  action text not null,
  subject_type text not null,
  subject_id text not null,
  quote_id text,
  customer_id text,
  fields text[] not null default '{}',
  transaction_id xid8 not null default pg_current_xact_id(),
  -- A key of a partitioned table has to contain what it is partitioned by. The number alone is unique, because it is always generated. So the key is what
  -- a partner's entries are found by, and one index does for both.
  primary key (partner_id, entry_number, at),
  constraint audit_log_action_check
    check (action in ('created', 'changed', 'removed', 'asked', 'exported', 'read', 'psr.read')),
  constraint audit_log_actor_check
    check (actor in ('client', 'operator', 'processor', 'worker', 'link', 'database'))
) partition by range (at);
create index audit_log_by_customer on audit_log (partner_id, customer_id, entry_number) where customer_id is not null;
create index audit_log_by_transaction on audit_log (transaction_id);

-- Holds for the owner too, and for every partition.
create or replace function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only: entries are never changed, and leave with their month after six years at the earliest';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_audit_log_change();
create trigger audit_log_is_never_emptied before truncate on audit_log
  for each statement execute function refuse_audit_log_change();

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy own_rows on audit_log for select to housebill_app using (partner_id = (select proof.partner()));
create policy write_down on audit_log for insert to current_user with check (true);
create policy seal on audit_log for select to current_user using (true);
create policy find_changed_quotes on audit_log for select to housebill_system using (quote_id is not null);
grant select on audit_log to housebill_app;
grant select (partner_id, quote_id, transaction_id) on audit_log to housebill_system;

-- Adds a partition. Nothing is granted on it, because only the whole log is read and written. A new partition is complete before it
-- is attached, so that nobody waits to write meanwhile.
create function attach_to_audit_log(partition_name text, bounds text) returns void language plpgsql as $$
begin
  if to_regclass(format('public.%I', partition_name)) is null then
    execute format('create table public.%I (like public.audit_log including all excluding identity)', partition_name);
    -- A trigger for statements is not passed on to partitions.
    execute format('create trigger audit_log_is_never_emptied before truncate on public.%I
                    for each statement execute function public.refuse_audit_log_change()', partition_name);
  end if;
  execute format('alter table public.%I enable row level security', partition_name);
  execute format('alter table public.%I force row level security', partition_name);
  execute format('alter table public.audit_log attach partition public.%I %s', partition_name, bounds);
end $$;

-- Makes the partition of the month that begins on this day, unless there is one. If the default partition has entries of this month, they stay there, and
-- so does what the month still brings.
create function make_audit_log_partition(month date) returns void language plpgsql as $$
begin
  if exists (select from pg_inherits join pg_class c on c.oid = inhrelid
              where inhparent = 'public.audit_log'::regclass
                and (c.relname = 'audit_log_' || to_char(month, 'YYYYMM')
                     or c.relname ~ '^audit_log_to_\d{6}$' and right(c.relname, 6) >= to_char(month, 'YYYYMM'))) then
    return;
  end if;
  perform public.attach_to_audit_log('audit_log_' || to_char(month, 'YYYYMM'),
    format('for values from (%L) to (%L)', month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'));
exception when check_violation then
  return;
end $$;

-- Takes what belongs to a month that has no partition, so that no write ever fails for lack of one. The owner looks into it to see whether it may go.
create function make_audit_log_other() returns void language plpgsql as $$
begin
  perform public.attach_to_audit_log('audit_log_other', 'default');
  create policy find_latest on public.audit_log_other for select to current_user using (true);
end $$;

-- What there was is carried over: as a partition that ends with this month.
do $$
declare
  last_number bigint;
  last_month date;
begin
  select last_value into last_number from public.audit_log_earlier_number_seq where is_called;
  select (date_trunc('month', greatest(now(), max(at)) at time zone 'UTC'))::date into last_month from public.audit_log_earlier having count(*) > 0;
  if last_month is null then
    drop table public.audit_log_earlier;
  else
    alter table public.audit_log_earlier alter column entry_number drop identity;
    execute format('alter table public.audit_log_earlier rename to %I', 'audit_log_to_' || to_char(last_month, 'YYYYMM'));
    perform public.attach_to_audit_log('audit_log_to_' || to_char(last_month, 'YYYYMM'),
      format('for values from (minvalue) to (%L)', (last_month + interval '1 month') at time zone 'UTC'));
  end if;
  if last_number is not null then
    perform setval('public.audit_log_entry_number_seq', last_number);
  end if;
end $$;
select make_audit_log_other();
select make_audit_log_partition((date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date) from generate_series(0, 2) ahead;

-- What the hash of a seal covers of an entry. `audit verify` computes the hash from the same text.
create function audit_entry_text(entry audit_log) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_array(entry.entry_number, entry.transaction_id::text, extract(epoch from entry.at)::text, entry.partner_id, entry.actor,
                           entry.credential, entry.request_id, entry.operation, entry.action, entry.subject_type, entry.subject_id,
                           entry.quote_id, entry.customer_id, entry.fields)::text
$$;

-- A seal can have entries of two months. Null in seals from before this column, whose entries are all in one partition.
alter table audit_seals add column first_entry_at timestamptz;
drop index audit_seals_by_age;

-- Every entry before the latest of these times has left, as far as it was in a partition of its month.
create table audit_removals (
  removed_before timestamptz primary key,
  removed_at timestamptz not null default clock_timestamp()
);
grant select on audit_removals to housebill_system;

-- Makes the partitions of this month and the next two, and drops those whose months lie before `kept_since` altogether. Returns how many it dropped. Never
-- drops an entry that is younger than six years or not sealed. As the owner, since only the owner may. Gives up rather than keep writers waiting.
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
  if exists (select from public.audit_log l, (select * from public.audit_epochs order by epoch desc limit 1) present
              where l.at < cut_off and l.transaction_id >= present.sealed_below and l.entry_number > present.after_entry) then
    return 0;
  end if;
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
  if dropped > 0 then
    insert into public.audit_removals (removed_before) values (cut_off) on conflict do nothing;
  end if;
  return dropped;
end $$;

-- Removes the seals of a partner whose entries have left, at most `batch`, and returns how many. The last of them stays: the chain goes on from its hash,
-- which covers everything before. A seal goes only if every earlier one has lost its entries too, so that the chain has no gap.
create function delete_old_audit_seals(of_partner text, batch integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone_before timestamptz := (select max(removed_before) from public.audit_removals);
  deleted integer;
begin
  delete from public.audit_seals where partner_id = of_partner and seal_number in (
    select seal_number from (
      select seal_number, bool_and(last_entry_at < gone_before) over (order by seal_number) and
             lead(last_entry_at) over (order by seal_number) < gone_before as is_superseded
        from (select * from public.audit_seals where partner_id = of_partner order by seal_number limit batch + 1) oldest) seals
     where is_superseded);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- As before (migration 0077), and says when the first entry of a seal was written.
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
             coalesce((array_agg(s.hash order by s.seal_number desc))[1], ''), '', clock_timestamp(), entry.at
        into seal
        from (select seal_number, hash from public.audit_seals where partner_id = entry.partner_id order by seal_number desc limit 1) s;
      seal.hash := sha256(seal.previous_hash || convert_to(seal.partner_id || ' ' || seal.seal_number, 'UTF8'));
    end if;
    seal.entry_count := seal.entry_count + 1;
    seal.first_entry_at := least(seal.first_entry_at, entry.at);
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

revoke execute on function audit_entry_text(audit_log), attach_to_audit_log(text, text), make_audit_log_partition(date), make_audit_log_other(),
  maintain_audit_log(timestamptz), delete_old_audit_seals(text, integer) from public;
grant execute on function maintain_audit_log(timestamptz), delete_old_audit_seals(text, integer) to housebill_system;
grant execute on function audit_entry_text(audit_log) to housebill_app;

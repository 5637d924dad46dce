-- Who changed what, and what of a person goes when. What is kept where and for how long: docs/privacy.md.

-- Names of what changed, never a value. Rows are added by the triggers below, in the transaction of the change, so that no
-- operation can forget it; a reading of health data adds one too.
create table audit_log (
  entry_number bigint generated always as identity primary key,
  partner_id text not null references partners,
  at timestamptz not null default clock_timestamp(),
  actor text not null check (actor in ('client', 'operator', 'processor', 'worker', 'database')),
  -- The client id, the operator's login on the machine, or the login at the database.
  credential text,
  request_id text,
  operation text,
  action text not null check (action in ('created', 'changed', 'removed', 'asked', 'exported', 'psr.read')),
  subject_type text not null,
  subject_id text not null,
  quote_id text,
  customer_id text,
  fields text[] not null default '{}'
);
create index audit_log_by_partner on audit_log (partner_id, entry_number);
create index audit_log_by_customer on audit_log (partner_id, customer_id, entry_number) where customer_id is not null;
create index audit_log_by_age on audit_log (at);

alter table audit_log enable row level security;
alter table audit_log force row level security;
create policy own_rows on audit_log to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert on audit_log to housebill_app;
create policy write_down on audit_log for insert to housebill_system with check (true);
create policy find_old on audit_log for select to housebill_system using (true);
create policy delete_old on audit_log for delete to housebill_system using (at < now() - interval '6 years');
grant insert, select (at), delete on audit_log to housebill_system;

-- Holds for the owner of the table too.
create function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.at < now() - interval '6 years' then
      return old;
    end if;
  end if;
  raise exception 'the audit log is append-only: entries are never changed, and go after six years';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_audit_log_change();
create trigger audit_log_is_never_emptied before truncate on audit_log
  for each statement execute function refuse_audit_log_change();

-- `housebill.origin` is set for the length of a transaction (src/db/access.ts). Without it somebody is at the database itself.
create function write_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[]
) returns void language plpgsql as $$
declare
  origin jsonb := coalesce(nullif(current_setting('housebill.origin', true), ''), '{}')::jsonb;
begin
  insert into audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id, quote_id,
                         customer_id, fields)
  values (write_audit_entry.partner_id, coalesce(origin ->> 'actor', 'database'),
          case when origin ? 'actor' then origin ->> 'credential' else session_user end,
          origin ->> 'requestId', origin ->> 'operation', write_audit_entry.action, write_audit_entry.subject_type,
          write_audit_entry.subject_id, write_audit_entry.quote_id, write_audit_entry.customer_id, write_audit_entry.fields);
end $$;

-- Arguments: what a row is, the column with its id, then the columns whose change alone is bookkeeping and no entry.
create function audit_change() returns trigger language plpgsql as $$
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
  perform write_audit_entry(
    subject ->> 'partner_id', case tg_op when 'INSERT' then 'created' when 'UPDATE' then 'changed' else 'removed' end,
    tg_argv[0], subject ->> tg_argv[1], subject ->> 'quote_id', subject ->> 'customer_id', changed);
  return null;
end $$;

create trigger audit after insert or update or delete on partners
  for each row execute function audit_change('partner', 'partner_id');
create trigger audit after insert or update or delete on credentials
  for each row execute function audit_change('credential', 'client_id', 'last_token_on');
create trigger audit after insert or update or delete on quotes
  for each row execute function audit_change('quote', 'quote_id', 'updated_at');
create trigger audit after insert or update or delete on customers
  for each row execute function audit_change('customer', 'customer_id', 'updated_at');
create trigger audit after insert or update or delete on setup_intents
  for each row execute function audit_change('setup intent', 'setup_intent_id', 'updated_at', 'ask_after', 'asked_count', 'last_event_at');
create trigger audit after insert or update or delete on contract_documents
  for each row execute function audit_change('contract documents', 'customer_id');
create trigger audit after insert or update or delete on webhooks
  for each row execute function audit_change('webhook', 'webhook_id', 'updated_at', 'failing_since', 'last_failed_at', 'revision');
create trigger audit after insert or update or delete on webhook_secrets
  for each row execute function audit_change('webhook secret', 'webhook_id');
-- How far it has come is the workers' business.
create trigger audit after insert or update or delete on replays
  for each row execute function audit_change('replay', 'replay_id', 'status', 'position', 'redelivered_count', 'missed_count',
                                             'worked_at', 'finished_at');
create trigger audit after insert or update or delete on availability_requests
  for each row execute function audit_change('availability request', 'uid');
create trigger audit after insert or update or delete on broadband_steering
  for each row execute function audit_change('broadband steering', 'address_uid');

-- Erasure. `retained_until`: what the law needs of a customer with a contract stays until then.
alter table customers add column erased_at timestamptz, add column retained_until date;
-- Nobody of the quote is known any more, and the partner's own reference, which may say anything, has gone as well.
alter table quotes add column persons_removed_at timestamptz;
create index quotes_by_expiry on quotes (partner_id, expires_at) where persons_removed_at is null;
create index quotes_without_persons on quotes (partner_id, persons_removed_at) where persons_removed_at is not null;
create index deliveries_by_quote on deliveries (partner_id, quote_id);
grant delete on setup_intents to housebill_app;
grant update (html_encrypted, pdf_encrypted), delete on contract_documents to housebill_app;
grant update (data) on events to housebill_app;

-- Which quote or customer an answer is about; '' for neither. Null only in answers from before this column.
alter table idempotency_keys add column subject_id text;
create index idempotency_keys_by_subject on idempotency_keys (partner_id, subject_id);

-- Customers the processor still has to be asked to delete. Their rows here may be gone already.
create table processor_deletions (
  customer_id text primary key,
  partner_id text not null references partners,
  -- Null where the answer that named it was lost: it is looked for.
  processor_customer_id text,
  requested_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  asked_count integer not null default 0
);
create index processor_deletions_due on processor_deletions (due_at);
alter table processor_deletions enable row level security;
alter table processor_deletions force row level security;
create policy own_rows on processor_deletions to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert on processor_deletions to housebill_app;
create policy sweep on processor_deletions to housebill_system using (true) with check (true);
grant select, update (due_at, asked_count), delete on processor_deletions to housebill_system;

-- Rotation of the encryption keys reaches what the deployment keeps for itself.
grant update (value) on deployment_settings to housebill_system;
grant update (private_jwk_encrypted) on signing_keys to housebill_system;

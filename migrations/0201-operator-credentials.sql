-- Operator credentials can be limited to addresses and to a time, as partners' can.
alter table operator_credentials
  add column expires_at timestamptz,
  add column allowed_from text[] check (cardinality(allowed_from) > 0);
grant update (allowed_from) on operator_credentials to housebill_system;

-- Rows that belong to no partner are the operator's, and so are their entries: they have the id of the operator's own account.
create or replace function proof.insert_audit_entry(
  partner_id text, action text, subject_type text, subject_id text, quote_id text, customer_id text, fields text[]
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  origin jsonb := proof.origin();
begin
  insert into public.audit_log (partner_id, actor, credential, request_id, operation, action, subject_type, subject_id, quote_id,
                                customer_id, fields)
  values (coalesce(insert_audit_entry.partner_id, 'partner_00000000000000000000000000'), coalesce(origin ->> 'actor', 'database'),
          case when origin ? 'actor' then origin ->> 'credential' else session_user end,
          origin ->> 'requestId', origin ->> 'operation', insert_audit_entry.action, insert_audit_entry.subject_type,
          insert_audit_entry.subject_id, insert_audit_entry.quote_id, insert_audit_entry.customer_id, insert_audit_entry.fields);
end $$;

create trigger audit after insert or update or delete on operator_credentials
  for each row execute function audit_change('operator credential', 'client_id', 'last_token_on');
create trigger audit after insert or update or delete on signing_keys
  for each row execute function audit_change('signing key', 'key_id');

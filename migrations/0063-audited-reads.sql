-- Reads of a customer, an export or a contract are in the audit log, too.
alter table audit_log drop constraint audit_log_action_check, drop constraint audit_log_actor_check;
alter table audit_log
  add constraint audit_log_action_check
    check (action in ('created', 'changed', 'removed', 'asked', 'exported', 'read', 'psr.read')),
  add constraint audit_log_actor_check
    check (actor in ('client', 'operator', 'processor', 'worker', 'link', 'database'));

-- Writes an entry for each read. Each comes with the proof of its own transaction, which says whose it is and who read.
create function write_reads(proofs text[], subject_types text[], customer_ids text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  proof_before text := current_setting('housebill.proof', true);
  read record;
begin
  for read in select * from unnest(proofs, subject_types, customer_ids) as r(proof, subject_type, customer_id) loop
    perform set_config('housebill.proof', read.proof, true);
    perform proof.insert_audit_entry(nullif(proof.partner(), ''), 'read', read.subject_type, read.customer_id, null, read.customer_id, '{}');
  end loop;
  perform set_config('housebill.proof', coalesce(proof_before, ''), true);
end $$;
revoke execute on function write_reads(text[], text[], text[]) from public;
grant execute on function write_reads(text[], text[], text[]) to housebill_app;

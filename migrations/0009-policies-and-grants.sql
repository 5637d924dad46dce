-- Who sees and changes what: contributing/decisions/0010-row-level-security.md. The two roles exist before the first migration.
grant usage on schema public, audit to housebill_app, housebill_system;

-- Every table with a partner's rows hides those of other partners, also from the owner of the tables.
do $$
declare
  name text;
begin
  for name in
    select attrelid::regclass from pg_attribute join pg_class c on c.oid = attrelid
      join pg_namespace n on n.oid = c.relnamespace
     where attname = 'partner_id' and c.relkind in ('r', 'p') and not c.relispartition and n.nspname = 'public'
  loop
    execute format('alter table %s enable row level security', name);
    execute format('alter table %s force row level security', name);
    execute format($policy$create policy own_rows on %s to housebill_app
                   using (partner_id = (select current_setting('housebill.partner', true)))$policy$, name);
    execute format('create policy all_rows on %s to housebill_system using (true)', name);
  end loop;
end $$;

-- For the work of one partner.
grant select, insert, delete on delivery_history to housebill_app;
grant select, insert, update, delete on broadband_steering, collecting_holds, commission_queries, contract_documents,
  customers, death_reports, delivery_queue, end_requests, idempotency_keys, import_rows, imports, meter_readings,
  payment_entries, payment_reports, psr_entries, refund_orders, replays, setup_intents, previewed_terms,
  tenancy_end_questions, tenancy_end_reports,
  tenant_mail_refusals, tenant_mails, tenant_sessions, webhook_secrets to housebill_app;
grant select, insert, update on address_lookups, address_match_counts, availability_requests, broadband_responses,
  broadband_checks, contract_versions, contracts, properties, quotes, webhooks to housebill_app;
grant select, insert on audit_log, caused_mails, commission_closings, commission_entries, commission_terms,
  contract_acknowledgements, contract_corrections, events, processor_deletions, service_reports to housebill_app;
grant update (paid_on) on commission_closings to housebill_app;
grant insert on contract_numbers to housebill_app;
-- For making hashes and values again with a new key.
grant select, update on people to housebill_app;
-- Locking the row of a partner takes the right to change something in it; only a sandbox moves its clock.
grant select, update (clock_offset_seconds, sender_name) on partners to housebill_app;
grant select on deliveries, meter_points, rate_card_partners, rate_cards, removed_events, sandbox_requests,
  terms_versions to housebill_app;

-- For work across partners.
grant select, delete on availability_requests, broadband_responses, broadband_checks, caused_mails, idempotency_keys,
  import_rows, imports, tenant_sessions, webhook_secrets to housebill_system;
grant select, insert, delete on delivery_history, rate_card_partners, revoked_tokens, sandbox_requests to
  housebill_system;
grant select, insert, update, delete on credentials, delivery_queue, key_ring, partner_mails,
  pending_sign_ins, person_sessions, program_sessions to housebill_system;
grant select, insert, update on deployment_settings, meter_points, operator_credentials, partners, people, properties,
  rate_cards, removed_events, scheduled_jobs to housebill_system;
grant select, insert on audit_log, operator_requests, rate_card_changes, terms_versions to housebill_system;
grant select, update, delete on events, processor_deletions, replays, webhooks to housebill_system;
grant select, update on contract_feed, contract_versions, psr_entries, setup_intents, tenant_mails to
  housebill_system;
grant select on collecting_holds, commission_closings, commission_entries, commission_queries, commission_terms,
  contract_acknowledgements,
  contract_corrections, contracts, customers, death_reports, deliveries, end_requests, meter_readings, payment_entries,
  payment_reports, quotes, refund_orders, service_reports, tenancy_end_questions to housebill_system;
grant usage on sequence event_positions to housebill_system;
-- A running process looks whether a newer version has migrated the database.
grant select on schema_migrations to housebill_system;

-- These run as the owner: only the owner makes and drops partitions, and the probe writes what nobody reads.
revoke execute on function maintain_audit_log, make_audit_log_other, make_audit_log_partition, attach_to_audit_log,
  maintain_delivery_history,
  make_delivery_history_partition, probe_writes, audit_table from public;
grant execute on function maintain_audit_log, maintain_delivery_history, probe_writes to housebill_system;

-- Whoever works for one partner is in the log as who the transaction says.
create policy of_origin on audit_log as restrictive for insert to housebill_app with check (
  actor = coalesce((select nullif(current_setting('housebill.origin', true), '')::jsonb ->> 'actor'), 'database'));

-- Migrations and repairs by the owner write entries too.
create policy written_by_owner on audit_log for insert to current_user with check (true);

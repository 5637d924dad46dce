-- The second wall between partners, under that of the statements, each of which names its partner. What it is for and how it is
-- used: docs/decisions/0010-row-level-security.md; what a new table needs: docs/adding-a-table.md.
--
-- The roles housebill_app and housebill_system are made before the migrations (src/db/runtime-roles.ts): roles belong to the
-- whole cluster. housebill_app sees the rows of the partner its transaction was opened for. housebill_system sees every
-- partner's, in the commands and columns that what it does needs: no personal data, no documents, no quotes.

grant usage on schema public to housebill_app, housebill_system;

-- Rows hang on rows of the same partner. What hangs on a row that goes is deleted first, by whoever deletes it: a cascade is
-- the owner's doing, and so are triggers that it fires, and the owner may write no row of a partner. The unique constraints take the place of the indexes that found a partner's rows.
alter table quotes add constraint quotes_of_partner unique (partner_id, quote_id);
drop index quotes_by_partner;
alter table customers add constraint customers_of_partner unique (partner_id, customer_id);
drop index customers_by_partner;
alter table webhooks add constraint webhooks_of_partner unique (partner_id, webhook_id);
drop index webhooks_by_partner;

alter table customers
  drop constraint customers_quote_id_fkey,
  add constraint customers_quote_id_fkey foreign key (partner_id, quote_id) references quotes (partner_id, quote_id);
alter table setup_intents
  drop constraint setup_intents_customer_id_fkey,
  add constraint setup_intents_customer_id_fkey foreign key (partner_id, customer_id)
    references customers (partner_id, customer_id);
alter table contract_documents
  drop constraint contract_documents_customer_id_fkey,
  add constraint contract_documents_customer_id_fkey foreign key (partner_id, customer_id)
    references customers (partner_id, customer_id);
alter table deliveries
  drop constraint deliveries_webhook_id_fkey,
  add constraint deliveries_webhook_id_fkey foreign key (partner_id, webhook_id)
    references webhooks (partner_id, webhook_id) on delete cascade;
alter table replays
  drop constraint replays_webhook_id_fkey,
  add constraint replays_webhook_id_fkey foreign key (partner_id, webhook_id)
    references webhooks (partner_id, webhook_id);

-- Forced: the owner of the tables sees nothing either. One policy for every table with a partner's rows.
do $$
declare
  owned text;
begin
  foreach owned in array array[
    'partners', 'credentials', 'quotes', 'customers', 'contract_documents', 'setup_intents', 'availability_requests',
    'broadband_checks', 'broadband_steering', 'events', 'removed_events', 'webhooks', 'webhook_secrets', 'deliveries',
    'delivery_attempts', 'replays', 'idempotency_keys'
  ] loop
    execute format('alter table %I enable row level security', owned);
    execute format('alter table %I force row level security', owned);
    -- How a caller is told from others is no business of the calls: they get no policy and no grant on credentials.
    continue when owned = 'credentials';
    execute format(
      'create policy own_rows on %I to housebill_app
         using (partner_id = current_setting(''housebill.partner_id'', true))
         with check (partner_id = current_setting(''housebill.partner_id'', true))', owned);
  end loop;
end $$;

-- housebill_app, one partner at a time.
grant select, update (clock_offset_seconds) on partners to housebill_app;
grant select, insert, update on quotes, setup_intents, availability_requests, broadband_checks, webhooks, deliveries to housebill_app;
grant select, insert, update, delete on customers, broadband_steering, idempotency_keys to housebill_app;
grant select, insert on contract_documents, events to housebill_app;
grant select on delivery_attempts, removed_events to housebill_app;
grant select, insert, update (secret_encrypted, signs_until), delete on webhook_secrets to housebill_app;
grant select, insert, update (since, until, is_open, position), delete on replays to housebill_app;

-- What all partners share. A supplier's homes and an upstream's answers are kept for whoever asks next.
grant select on rate_cards, meter_points to housebill_app;
grant select, insert, update on properties, address_lookups, broadband_answers to housebill_app;

-- housebill_system: who calls, and the operator's commands about partners.
create policy every_partner on partners to housebill_system using (true) with check (true);
grant select, insert, update (disabled_at) on partners to housebill_system;
create policy every_credential on credentials to housebill_system using (true) with check (true);
grant select, insert, update (secret_hash) on credentials to housebill_system;

-- Dispatch: events that were not dispatched yet become deliveries, in an order of their own.
create policy read_for_dispatch on events for select to housebill_system using (true);
-- Not only what waits: PostgreSQL asks the same of whoever locks a row in order to delete it.
create policy place on events for update to housebill_system using (true) with check (true);
grant select, update (dispatched_at, position) on events to housebill_system;
grant usage on sequence event_positions to housebill_system;

-- Delivery: what waits is leased, signed and sent, attempts are written down, webhooks keep their health.
create policy read_for_delivery on webhooks for select to housebill_system using (true);
create policy keep_health on webhooks for update to housebill_system using (true) with check (true);
grant select, update (status, disabled_reason, verification, failing_since, last_failed_at, updated_at)
  on webhooks to housebill_system;
create policy read_for_delivery on deliveries for select to housebill_system using (true);
create policy dispatch on deliveries for insert to housebill_system with check (true);
create policy move on deliveries for update to housebill_system using (true) with check (true);
grant select, insert, update (status, attempt_count, round_start, in_order, next_attempt_at, lease_id, finished_at)
  on deliveries to housebill_system;
create policy write_down on delivery_attempts for insert to housebill_system with check (true);
grant insert on delivery_attempts to housebill_system;
create policy read_to_sign on webhook_secrets for select to housebill_system using (true);
grant select on webhook_secrets to housebill_system;

-- Replays are worked off.
create policy work_off on replays for select to housebill_system using (true);
create policy move_on on replays for update to housebill_system using (true) with check (true);
grant select, update (status, position, redelivered_count, missed_count, worked_at, finished_at) on replays to housebill_system;

-- What deleted webhooks leave is removed, and what is older than 30 days: attempts go with their deliveries.
create policy delete_old on deliveries for delete to housebill_system using (true);
grant delete on deliveries to housebill_system;
create policy delete_old on events for delete to housebill_system
  using (dispatched_at is not null and occurred_at < now() - interval '30 days');
grant delete on events to housebill_system;
create policy note on removed_events to housebill_system using (true) with check (true);
grant select, insert, update (position) on removed_events to housebill_system;
create policy delete_left on replays for delete to housebill_system
  using (exists (select from webhooks w where w.webhook_id = replays.webhook_id and w.deleted_at is not null));
grant delete on replays to housebill_system;
create policy delete_emptied on webhooks for delete to housebill_system using (deleted_at is not null);
grant delete on webhooks to housebill_system;
create policy delete_ended on webhook_secrets for delete to housebill_system using (signs_until is not null);
grant delete on webhook_secrets to housebill_system;

-- The processor's notices name no partner, the sweeps ask about everybody's open intents and collections, and a contract link
-- names a customer.
-- They find whose it is here; what follows is done as that partner.
create policy find_owner on setup_intents for select to housebill_system using (true);
create policy ask_about_open on setup_intents for update to housebill_system
  using (status not in ('succeeded', 'canceled')) with check (true);
grant select, update (ask_after, asked_count) on setup_intents to housebill_system;
create policy find_owner on customers for select to housebill_system using (true);
grant select (customer_id, quote_id, partner_id, last_collection_at) on customers to housebill_system;

-- Housekeeping: what has run out is deleted unread.
create policy find_expired on idempotency_keys for select to housebill_system using (true);
create policy delete_expired on idempotency_keys for delete to housebill_system using (true);
grant select (expires_at), delete on idempotency_keys to housebill_system;
create policy find_expired on availability_requests for select to housebill_system using (true);
create policy delete_expired on availability_requests for delete to housebill_system using (true);
grant select (expires_at), delete on availability_requests to housebill_system;
create policy find_stale on broadband_checks for select to housebill_system using (true);
create policy delete_stale on broadband_checks for delete to housebill_system using (true);
grant select (checked_at), delete on broadband_checks to housebill_system;
grant select (answered_at), delete on broadband_answers to housebill_system;

-- The deployment's own, and what the operator publishes and imports.
grant select, insert on deployment_settings, signing_keys, rate_cards to housebill_system;
grant select, insert, update on properties, meter_points to housebill_system;

-- The simulated processor is an outside system that happens to live here: housebill_app has no way into its schema.
alter table simulated_processor.steering enable row level security;
alter table simulated_processor.steering force row level security;
create policy simulator on simulated_processor.steering to housebill_system using (true) with check (true);
alter table simulated_processor.outgoing_webhooks enable row level security;
alter table simulated_processor.outgoing_webhooks force row level security;
create policy simulator on simulated_processor.outgoing_webhooks to housebill_system using (true) with check (true);

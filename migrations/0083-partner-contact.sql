-- Whom to write to at a partner (encrypted), and the calls a second that the operator allows it; null for the deployment's own limit.
alter table partners
  add column contact_email_encrypted text,
  add column requests_per_second integer check (requests_per_second between 1 and 1000000);
grant update (name, contact_email_encrypted, requests_per_second) on partners to housebill_system;
-- A hash of the Idempotency-Key with which the secret was last replaced, so that repeating the call does not replace it again.
alter table credentials add column rotated_by text;
grant update (rotated_by) on credentials to housebill_system;
drop trigger audit on credentials;
create trigger audit after insert or delete or update on credentials
  for each row execute function audit_change('credential', 'client_id', 'last_token_on', 'rotated_by');

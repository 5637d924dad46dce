-- Requests of the operator's software with an Idempotency-Key that make something. They are kept for ever, so that a key never makes anything twice,
-- even after what it made was removed. Two requests with one key wait for each other here.
create table operator_requests (
  request_key_sha256 text primary key,
  request_sha256 text not null,
  subject_id text not null,
  created_at timestamptz not null
);
grant select, insert on operator_requests to housebill_system;

create or replace trigger audit after insert or update or delete on credentials
  for each row execute function audit_change('credential', 'client_id', 'last_token_on');
alter table credentials drop column rotated_by;

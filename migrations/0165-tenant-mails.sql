-- An e-mail to a tenant that is due, was sent or was given up. Its words are written in the transaction of what it tells; its address is read when it is sent.
create table tenant_mails (
  mail_id text primary key,
  partner_id text not null,
  customer_id text not null,
  contract_number text not null,
  -- The kinds are in the program (tenant-mail-kinds.ts).
  kind text not null,
  content_encrypted text not null,
  -- The hash of the content before encryption.
  sha256 text not null,
  -- On the partner's clock, as all times of this table.
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- Null once there is an outcome.
  next_attempt_at timestamptz,
  outcome text check (outcome in ('sent', 'given_up', 'obsolete')),
  ended_at timestamptz,
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  check ((next_attempt_at is null) = (outcome is not null)),
  check ((ended_at is null) = (outcome is null))
);
create index tenant_mails_due on tenant_mails (next_attempt_at) where next_attempt_at is not null;
create index tenant_mails_by_contract on tenant_mails (partner_id, contract_number);
create index tenant_mails_by_customer on tenant_mails (partner_id, customer_id);
alter table tenant_mails enable row level security;
alter table tenant_mails force row level security;
create policy own_rows on tenant_mails to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
grant select, insert, delete, update (content_encrypted, attempts, next_attempt_at, outcome, ended_at) on tenant_mails to housebill_app;
create policy find_due on tenant_mails for select to housebill_system using (true);
create policy lease_due on tenant_mails for update to housebill_system using (true) with check (true);
grant select (mail_id, partner_id, customer_id, contract_number, kind, created_at, attempts, next_attempt_at, outcome),
      update (attempts, next_attempt_at) on tenant_mails to housebill_system;
create policy read_for_operator on tenant_mails for select to housebill_operator using (true);
grant select (mail_id, partner_id, customer_id, contract_number, kind, created_at, attempts, outcome, ended_at) on tenant_mails to housebill_operator;
create trigger audit after insert or update or delete on tenant_mails
  for each row execute function audit_change('tenant mail', 'mail_id', 'attempts', 'next_attempt_at');

-- Who sends a tenant the confirmation that their contract is in force; null for the deployment's default.
alter table partners add column confirmations text check (confirmations in ('operator', 'partner'));
grant update (confirmations) on partners to housebill_system;

-- Who was to send this contract's confirmation, and when it was first sent. Null for a contract that never took effect.
alter table contracts add column confirmed_by text check (confirmed_by in ('operator', 'partner'));
alter table contracts add column confirmation_sent_at timestamptz;
grant select (confirmed_by, confirmation_sent_at) on contracts to housebill_operator;
create index contracts_without_confirmation on contracts (effective_at)
  where status = 'in_force' and confirmed_by is not null and confirmation_sent_at is null;

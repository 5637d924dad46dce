-- Every number that a contract has. The operator names contracts without their partner, so no two partners have the same
-- one; a key of a partner's table could not say so, because each includes the partner.
create table contract_numbers (
  contract_number text primary key
);

-- One row for each contract that a tenant has agreed to. Rows are never deleted: when the records need no longer be
-- kept, their content is.
create table contracts (
  contract_number text not null,
  partner_id text not null,
  quote_id text not null,
  customer_id text not null,
  status text not null check (status in ('agreed', 'in_force', 'lapsed', 'superseded', 'cancelled', 'ended')),
  agreed_at timestamptz not null,
  effective_at timestamptz,
  starts_on date not null,
  ends_on date not null check (ends_on >= starts_on),
  -- Before the first day, if it was cancelled or never took effect.
  ended_on date,
  last_day date not null generated always as (coalesce(ended_on, ends_on)) stored,
  end_reason text
    check (end_reason in ('lock_ended', 'reopened', 'quote_cancelled', 'withdrawn', 'cancelled', 'notice', 'replaced',
                          'tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable', 'term_over',
                          'price_withdrawn')),
  -- Who set an early end, and can move it or take it back; null if nobody but the operator can.
  end_set_by text check (end_set_by in ('tenant', 'partner', 'operator')),
  -- What the tenant agreed to; null once the records need no longer be kept.
  acceptance jsonb,
  evidence_encrypted text,
  -- The agreed figures of this tenant, from which later statements are made.
  price jsonb,
  document_hash text,
  agreement_encrypted text,
  updated_at timestamptz not null,
  -- Whether the reason is true that the tenant gave for an early end without a fee, as the partner and then the operator
  -- say. It never changes what is owed.
  end_reason_check text check (end_reason_check in ('confirmed', 'doubted', 'settled')),
  end_reason_checked_at timestamptz,
  -- How many notices of its coming end a contract has had: one 45 days and one 30 days before its last day.
  ending_notices smallint not null default 0,
  -- How a contract was cancelled or ended early: what was said about it, and what was owed in the end.
  ending_encrypted text,
  final_statement jsonb,
  -- Who was to send this contract's confirmation, and when it was first sent. Null for a contract that never took
  -- effect.
  confirmed_by text check (confirmed_by in ('operator', 'partner')),
  confirmation_sent_at timestamptz,
  -- How many versions the operator's feed has of it.
  version integer not null default 0,
  primary key (contract_number, partner_id),
  constraint contracts_took_effect check (status <> 'in_force' or effective_at is not null),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index contracts_by_customer on contracts (customer_id, partner_id);
create index contracts_by_effective_at on contracts (partner_id, effective_at) where effective_at > '-infinity';
create index contracts_by_quote on contracts (quote_id, partner_id);
-- A customer belongs to one quote, which check_quote keeps. It leads, so that PostgreSQL prefers this index for nothing
-- else.
create unique index one_binding_contract on contracts (quote_id, customer_id, partner_id)
  where status in ('agreed', 'in_force');
create index contracts_kept on contracts (partner_id, last_day) where acceptance is not null and last_day > '-infinity';
create index contracts_in_force_by_last_day on contracts (last_day)
  where status = 'in_force' and last_day > '-infinity';
create index contracts_over_soon on contracts (last_day) where status in ('in_force', 'ended') and last_day > '-infinity';
create index contracts_over_with_tenancy on contracts (last_day)
  where end_reason in ('tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable');
create index contracts_over_early on contracts (partner_id, ended_on)
  where ended_on > '-infinity' and effective_at is not null;
create index contracts_doubted on contracts (contract_number) where end_reason_check = 'doubted';
create index contracts_without_confirmation on contracts (contract_number)
  where status = 'in_force' and confirmed_by is not null and confirmation_sent_at is null;
create function check_quote_of_contract() returns trigger language plpgsql as $$
begin
  if not exists (select from customers c where c.customer_id = new.customer_id and c.partner_id = new.partner_id
                                           and c.quote_id = new.quote_id) then
    raise 'a contract is about the quote of its customer' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger check_quote after insert or update of quote_id, customer_id on contracts
  for each row execute function check_quote_of_contract();
select audit_table('contracts', 'contract', 'contract_number', '{last_day, updated_at, version}');
alter table customers add foreign key (partner_id, contract_number) references contracts (partner_id, contract_number);

-- The documents rendered once at acceptance: encrypted, hashed over the plain bytes, never changed after.
create table contract_documents (
  customer_id text not null,
  partner_id text not null,
  html_encrypted bytea not null,
  html_sha256 text not null,
  pdf_encrypted bytea not null,
  pdf_sha256 text not null,
  created_at timestamptz not null,
  contract_number text not null,
  primary key (contract_number, partner_id),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number)
);
select audit_table('contract_documents', 'contract documents', 'customer_id');

-- What the operator corrected in contracts after they were agreed. The documents stay as they were. Meter points and
-- the install date belong to the home, so the latest value holds for every contract of the household. A corrected birth
-- date is stored with the customer.
create table contract_corrections (
  correction_number bigint generated always as identity,
  partner_id text not null references partners (partner_id),
  quote_id text not null,
  contract_number text not null,
  mpan text,
  mprn text,
  install_date date,
  reason text not null check (length(reason) >= 1 and length(reason) <= 200),
  corrected_at timestamptz not null,
  primary key (quote_id, partner_id, correction_number),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
select audit_table('contract_corrections', 'contract correction', 'contract_number');

-- The feed from which the operator's back office receives contracts. Every change of a contract that the feed shows is
-- a version, written in the transaction of the change. A version gets its position after it has been
-- committed and no older transaction can add one before it, so nothing ever appears behind a position that was served.
create table contract_versions (
  contract_number text not null,
  version integer not null,
  partner_id text not null,
  change text not null
    check (change in ('agreed', 'in_force', 'confirmation_sent', 'lapsed', 'superseded', 'cancelled', 'ended',
                      'end_changed', 'customer_changed', 'payment_method_changed', 'services_changed', 'meter_read', 'occupiers_changed',
                      'corrected', 'erased')),
  recorded_at timestamptz not null default clock_timestamp(),
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint,
  -- Finds contracts that the back office has not taken over, without reading all that it has.
  is_acknowledged boolean not null default false,
  primary key (contract_number, partner_id, version),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number)
);
create index contract_versions_by_position on contract_versions (position) where position is not null;
create index contract_versions_without_position on contract_versions (transaction_id) where position is null;
create index contract_versions_unacknowledged on contract_versions (recorded_at) where not is_acknowledged;

-- The last position that was given. Whoever gives positions holds its row, so only one process does.
create table contract_feed (
  is_only boolean primary key default true check (is_only),
  last_position bigint not null,
  -- Increased by hand or after a restore: cursors of an earlier generation are no longer accepted.
  generation integer not null,
  last_psr_position bigint not null default 0
);

insert into contract_feed (last_position, generation) values (0, 1);

-- Which versions the back office has taken over, under its own reference.
create table contract_acknowledgements (
  contract_number text not null,
  version integer not null,
  partner_id text not null references partners (partner_id),
  reference text not null check (length(reference) >= 1 and length(reference) <= 200),
  acknowledged_at timestamptz not null,
  primary key (contract_number, partner_id, version),
  foreign key (contract_number, partner_id, version) references contract_versions
    (contract_number, partner_id, version),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number)
);
select audit_table('contract_acknowledgements', 'contract acknowledgement', 'contract_number');

-- What was reported about the supply of a home's services. The latest report of a service is its status.
create table service_reports (
  report_number bigint generated always as identity,
  partner_id text not null references partners (partner_id),
  quote_id text not null,
  service_id text not null,
  status text not null check (status in ('pending', 'requested', 'active', 'ended', 'failed', 'withdrawn')),
  effective_on date not null,
  reason text
    check (reason in ('rejected', 'objected', 'erroneous_transfer', 'debt_on_meter', 'meter_not_found',
                      'cancelled_by_consumer', 'address_wrong', 'wrong_meter')),
  comment text check (length(comment) <= 200),
  supplier_reference text check (length(supplier_reference) <= 200),
  expected_on date check (expected_on is null or status = 'requested'),
  -- From when the supplier has somebody else as the occupier of the home.
  new_occupier_from date,
  -- The serial number of the supplier's meter for the home.
  meter_serial text check (meter_serial ~ '^[0-9A-Z]{1,20}$'),
  -- Of an erroneous transfer: when the supplier first answered, and by when it must answer and resolve it.
  answered_on date check (answered_on is null or reason = 'erroneous_transfer'),
  answer_by date,
  resolve_by date check ((resolve_by is null) = (answer_by is null)
                         and (answer_by is null) = (reason is distinct from 'erroneous_transfer')),
  reported_at timestamptz not null,
  primary key (quote_id, partner_id, service_id, report_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index service_reports_of_erroneous_transfers on service_reports (quote_id, partner_id, service_id)
  where reason = 'erroneous_transfer';
select audit_table('service_reports', 'service report', 'service_id');

-- What the meters of a home showed: one reading for each register of a meter and day. A home has one meter point for each
-- service with a meter. customer_id: who reported it last.
create table meter_readings (
  partner_id text not null,
  quote_id text not null,
  customer_id text not null,
  service text not null check (service in ('electricity', 'gas')),
  read_on date not null,
  register text not null default 'single' check (register in ('single', 'day', 'night')),
  -- The serial number on the meter and, only where it is another, that of the meter which the supplier has.
  meter_serial text check (meter_serial ~ '^[0-9A-Z]{1,20}$'),
  supplier_serial text check (supplier_serial <> meter_serial),
  reading integer not null check (reading >= 0),
  reported_at timestamptz not null,
  check (service = 'electricity' or register = 'single'),
  primary key (quote_id, partner_id, service, read_on, register),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index meter_readings_by_customer on meter_readings (customer_id, partner_id);
create index meter_readings_of_wrong_meters on meter_readings (quote_id, partner_id, service)
  where supplier_serial is not null;
select audit_table('meter_readings', 'meter reading', 'service');

-- Who said that the tenancy of a household ends, and on which day. Neither housemates nor partners are shown a tenant's.
-- No column is named customer_id: the audit entries of a customer, which partners can export, leave these out.
create table tenancy_end_reports (
  report_number bigint generated always as identity,
  partner_id text not null,
  quote_id text not null,
  source text not null check (source in ('tenant', 'partner', 'operator')),
  -- The tenant who said so.
  reported_by text,
  reason text not null check (reason in ('tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable')),
  evidence text check (evidence in ('tenants_notice', 'surrender_signed', 'order_executed')),
  last_day date not null,
  -- Keyed hash of the address and browser of a tenant, until all questions are closed: one person can pose as two.
  browser_hash text,
  reported_at timestamptz not null,
  -- Also when the same source named another day.
  taken_back_at timestamptz,
  primary key (quote_id, partner_id, report_number),
  check ((source = 'tenant') = (reported_by is not null)),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  foreign key (partner_id, reported_by) references customers (partner_id, customer_id)
);
create index tenancy_end_reports_by_tenant on tenancy_end_reports (reported_by, partner_id)
  where reported_by is not null;
-- Each source says one thing at a time.
create unique index one_tenancy_end_report on tenancy_end_reports
  (quote_id, partner_id, source, (coalesce(reported_by, ''))) where taken_back_at is null;
select audit_table('tenancy_end_reports', 'report of a tenancy end', 'report_number', '{browser_hash}');

-- Tenants who were asked whether their tenancy ends on a day, and what they answered.
create table tenancy_end_questions (
  contract_number text not null,
  partner_id text not null,
  last_day date not null,
  quote_id text not null,
  reason text not null check (reason in ('tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable')),
  -- False if the partner said so of this tenant alone.
  is_household boolean not null,
  -- On the partner's clock, as all times of this table.
  asked_at timestamptz not null,
  asked_again_at timestamptz,
  -- The last day on which an answer counts.
  closes_on date not null check (closes_on >= last_day),
  answer text check (answer in ('leaves', 'stays', 'other_day')),
  other_day date,
  answered_at timestamptz,
  -- As in tenancy_end_reports; null also for an answer that the operator wrote down.
  browser_hash text,
  -- Whether the tenant answered themselves.
  is_own_answer boolean not null default false,
  outcome text check (outcome in ('ended', 'continues', 'asked_operator', 'withdrawn')),
  closed_at timestamptz,
  primary key (contract_number, partner_id, last_day),
  check ((answer is null) = (answered_at is null)),
  check ((answer is not distinct from 'other_day') = (other_day is not null)),
  check ((outcome is null) = (closed_at is null)),
  check (outcome is not null or answer is null),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create unique index one_open_question on tenancy_end_questions (contract_number, partner_id) where outcome is null;
create index tenancy_end_questions_by_quote on tenancy_end_questions (quote_id, partner_id);
create index tenancy_end_questions_open on tenancy_end_questions (closes_on) where outcome is null;
create index tenancy_end_questions_of_operator on tenancy_end_questions (closes_on)
  where outcome = 'asked_operator';
select audit_table('tenancy_end_questions', 'question about a tenancy end', 'contract_number', '{browser_hash}');
-- A report that a customer has died, and what became of it. The audit log, which the partner reads, has no entries: the
-- row says who reported what, and only the operator sees it.
create table death_reports (
  death_report_id text not null,
  partner_id text not null,
  quote_id text not null,
  customer_id text not null,
  details_encrypted text not null,
  reported_at timestamptz not null,
  -- The day by which the operator confirms or lifts it.
  due_on date not null,
  -- Whether it holds e-mails and collection.
  is_held boolean not null,
  -- When a code from the customer's e-mails was last entered while it was open.
  signed_in_at timestamptz,
  outcome text check (outcome in ('confirmed', 'lifted')),
  decided_at timestamptz,
  primary key (death_report_id, partner_id),
  check ((outcome is null) = (decided_at is null)),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index death_reports_by_customer on death_reports (customer_id, partner_id);
create index death_reports_open on death_reports (due_on) where outcome is null;

-- What a customer asked the operator last: to end their contract for a cause that they need tell nobody else, or on a day
-- longer ago than their own word counts for. The audit log, which the partner reads, has no entries.
create table end_requests (
  customer_id text not null,
  partner_id text not null,
  contract_number text not null,
  details_encrypted text not null,
  asked_at timestamptz not null,
  -- The day by which the operator ends the contract or answers.
  due_on date not null,
  outcome text check (outcome in ('ended', 'answered')),
  primary key (customer_id, partner_id),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index end_requests_open on end_requests (due_on) where outcome is null;

-- An e-mail to a tenant that is due, was sent or is not sent. Its words are written in the transaction of what it
-- tells; its address is read when it is sent, unless it goes to one of its own.
create table tenant_mails (
  mail_id text not null,
  partner_id text not null,
  customer_id text not null,
  -- Null for an e-mail before the customer had a contract.
  contract_number text,
  kind text not null
    check (kind in ('link', 'fresh_link', 'confirmation_code', 'nudge', 'lock_ending', 'asked_to_lead', 'card_declined',
                    'contract_in_force', 'payment_due', 'contract_ending', 'tenancy_end_question',
                    'tenancy_end_outcome', 'cancelled', 'notice_received', 'end_taken_back', 'start_moved',
                    'place_taken_over', 'details_changed', 'email_changed', 'card_changed', 'payment_put_back',
                    'payment_waived', 'dates_changed', 'supply_changed', 'moving_in', 'share_ended',
                    'price_withdrawn')),
  -- What it is about, if the customer is sent an e-mail of this kind about it once only.
  once text,
  content_encrypted text not null,
  -- The hash of the content before encryption.
  sha256 text not null,
  -- On the partner's clock, as all times of this table.
  created_at timestamptz not null,
  attempts integer not null default 0,
  -- Null once there is an outcome.
  next_attempt_at timestamptz,
  outcome text
    check (outcome in ('sent', 'given_up', 'refused', 'not_permitted', 'test_address', 'obsolete')),
  ended_at timestamptz,
  -- The number of the customer's links (customers.onboarding_revision) with which the link in it works, once it left.
  link_revision integer,
  check ((next_attempt_at is null) = (outcome is not null)),
  primary key (mail_id, partner_id),
  check ((ended_at is null) = (outcome is null)),
  foreign key (partner_id, contract_number) references contracts (partner_id, contract_number),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index tenant_mails_by_contract on tenant_mails (contract_number, partner_id) where contract_number is not null;
create index tenant_mails_by_customer on tenant_mails (customer_id, partner_id);
create index tenant_mails_due on tenant_mails (next_attempt_at, mail_id) where next_attempt_at is not null;
create unique index tenant_mails_once on tenant_mails (customer_id, partner_id, kind, once) where once is not null;
select audit_table('tenant_mails', 'tenant mail', 'mail_id', '{attempts, next_attempt_at}');

-- The addresses, as keyed hashes, whose readers said that they are not who was meant. No e-mail is sent to them for the
-- partner before there is a contract.
create table tenant_mail_refusals (
  email_hash text not null,
  partner_id text not null,
  refused_at timestamptz not null,
  primary key (email_hash, partner_id)
);

-- The e-mails to others that tenants are about to cause on their pages, for the caps on them. Kept for two days.
create table caused_mails (
  caused_number bigint generated always as identity,
  partner_id text not null,
  quote_id text not null,
  caused_by text not null,
  kind text not null check (kind in ('invitation', 'correction', 'hand_over', 'dates', 'tenancy_end')),
  email_hash text not null,
  -- On the partner's clock.
  caused_at timestamptz not null,
  -- Whether it is the last one that a cap allows.
  meets_cap boolean not null,
  primary key (caused_number, partner_id)
);
create index caused_mails_by_quote on caused_mails (quote_id, partner_id);
create index caused_mails_by_address on caused_mails (email_hash, partner_id);
create index caused_mails_that_meet_caps on caused_mails (caused_at) where meets_cap;

-- The feed from which the operator learns whom networks must register: one row for each customer who was ever to be
-- registered. A change moves the row to the end of the feed with a new version, so a reader sees the last one only.
create table psr_entries (
  customer_id text not null,
  partner_id text not null references partners (partner_id),
  quote_id text not null,
  version integer not null,
  change text not null check (change in ('registered', 'changed', 'expired', 'withdrawn')),
  changed_at timestamptz not null default clock_timestamp(),
  transaction_id xid8 not null default pg_current_xact_id(),
  position bigint,
  positioned_at timestamptz,
  acknowledged_version integer not null default 0,
  reference text check (length(reference) >= 1 and length(reference) <= 200),
  acknowledged_at timestamptz,
  primary key (customer_id, partner_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
create index psr_entries_by_position on psr_entries (position) where position is not null;
create index psr_entries_by_quote on psr_entries (quote_id, partner_id);
create index psr_entries_without_position on psr_entries (transaction_id) where position is null;
create index psr_entries_unacknowledged on psr_entries (positioned_at)
  where change = 'withdrawn' and acknowledged_version < version;
select audit_table('psr_entries', 'psr entry', 'customer_id', '{changed_at, transaction_id, position, positioned_at}');

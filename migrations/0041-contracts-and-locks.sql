-- A locked quote ends its lock at locked_until unless every tenant has accepted by then; null for a household in which somebody had accepted
-- before locks existed, and for every quote that is not active. supply_rule_applies: whether its tenants must ask for supply that begins
-- within the cancellation period. terms_version is fixed when the quote locks. prices_updated is QuotePricesUpdated.
alter table partners no force row level security;
alter table quotes no force row level security;
alter table quotes disable trigger audit;
alter table quotes
  add column locked_until timestamptz,
  add column supply_rule_applies boolean not null default true,
  add column terms_version text,
  add column prices_updated boolean not null default false;
create index quotes_by_lock on quotes (locked_until) where stage = 'active' and locked_until is not null;
create policy find_ended_locks on quotes for select to housebill_system using (stage = 'active');
grant select (quote_id, partner_id, stage, locked_until) on quotes to housebill_system;

-- One row for each contract that a tenant has agreed to. Rows are never deleted: when the records need no longer be kept, their content is.
create table contracts (
  contract_number text primary key,
  partner_id text not null references partners,
  quote_id text not null,
  customer_id text not null,
  status text not null check (status in ('agreed', 'in_force', 'lapsed', 'superseded', 'cancelled', 'ended')),
  agreed_at timestamptz not null,
  effective_at timestamptz,
  starts_on date not null,
  ends_on date not null,
  ended_on date,
  end_reason text,
  -- What the tenant agreed to; null once the records need no longer be kept.
  acceptance jsonb,
  evidence_encrypted text,
  -- The agreed figures of this tenant, from which later statements are made; null for a contract from before this table.
  price jsonb,
  document_hash text,
  agreement_encrypted text,
  updated_at timestamptz not null,
  unique (partner_id, contract_number),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index contracts_by_customer on contracts (partner_id, customer_id);
create index contracts_by_quote on contracts (partner_id, quote_id);

-- Contracts from before this table. Their documents print the customer's id as the contract number, so that stays their number.
alter table customers no force row level security;
alter table customers disable trigger audit;
insert into contracts (contract_number, partner_id, quote_id, customer_id, status, agreed_at, effective_at, starts_on, ends_on,
                       acceptance, evidence_encrypted, updated_at)
select c.customer_id, c.partner_id, c.quote_id, c.customer_id, 'in_force', c.terms_accepted_at, c.terms_accepted_at,
       q.contract_start_date, q.contract_end_date, c.acceptance, c.acceptance_evidence_encrypted, c.updated_at
  from customers c join quotes q using (partner_id, quote_id)
 where c.terms_accepted_at is not null;
create trigger audit after insert or update or delete on contracts
  for each row execute function audit_change('contract', 'contract_number', 'updated_at');
alter table contracts enable row level security;
create policy own_rows on contracts to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert, update on contracts to housebill_app;

-- contract_number: the contract that the customer agreed to last. removed_at: when a customer who once had a contract left the quote.
alter table customers add column contract_number text, add column removed_at timestamptz;
update customers set contract_number = customer_id where terms_accepted_at is not null;
alter table customers
  drop column acceptance,
  drop column acceptance_evidence_encrypted,
  drop constraint one_tenant_per_email,
  add foreign key (partner_id, contract_number) references contracts (partner_id, contract_number);
create unique index one_tenant_per_email on customers (quote_id, email_hash) where removed_at is null;
alter table customers enable trigger audit;
alter table customers force row level security;

alter table contract_documents no force row level security;
alter table contract_documents disable trigger audit;
alter table contract_documents add column contract_number text;
update contract_documents set contract_number = customer_id;
alter table contract_documents
  drop constraint contract_documents_pkey,
  add primary key (contract_number),
  add foreign key (partner_id, contract_number) references contracts (partner_id, contract_number);
alter table contract_documents enable trigger audit;
alter table contract_documents force row level security;

-- Setup intents that must be cancelled at the processor because the lock of their quote ended.
alter table setup_intents add column cancel_wanted boolean not null default false;
create index setup_intents_to_cancel on setup_intents (setup_intent_id) where cancel_wanted;

-- Active quotes without an acceptance get a lock. Their tenants were not told that they may have to ask for supply.
update quotes q
   set locked_until = least(now() + make_interval(secs => p.clock_offset_seconds) + interval '14 days',
                            (q.contract_start_date::timestamp at time zone 'Europe/London') - interval '1 millisecond'),
       supply_rule_applies = false
  from partners p
 where p.partner_id = q.partner_id and q.stage = 'active'
   and not exists (select from contracts k where k.partner_id = q.partner_id and k.quote_id = q.quote_id);

-- A default start that is too near for the lock and the cancellation period moves out when the quote is priced again, so it expires now. No
-- price outlives the day before its contract starts.
update quotes q
   set expires_at = case
         when q.start_origin = 'default'
          and q.contract_start_date < ((now() + make_interval(secs => p.clock_offset_seconds)) at time zone 'Europe/London')::date + 43
         then least(q.expires_at, now() + make_interval(secs => p.clock_offset_seconds))
         else least(q.expires_at, (q.contract_start_date::timestamp at time zone 'Europe/London') - interval '1 millisecond') end
  from partners p
 where p.partner_id = q.partner_id and q.stage = 'open';
alter table quotes enable trigger audit;
alter table quotes force row level security;
alter table partners force row level security;
-- Only now, because the owner of the tables sees no rows while it is forced, so the foreign keys above could not be checked.
alter table contracts force row level security;

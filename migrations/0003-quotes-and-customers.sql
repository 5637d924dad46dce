-- The quote aggregate: one row for the quote, one for each tenant (who is the customer of the later steps).

create table quotes (
  quote_id text primary key,
  partner_id text not null references partners,
  stage text not null check (stage in ('open', 'active', 'completed', 'cancelled')),
  -- The label of the last step while the quote is open; kept while it is active, for reopening.
  step_label text not null check (step_label in ('draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated', 'BroadbandAdded')),
  reference text,
  bedrooms smallint,
  quoting_tool_version_id text not null references rate_cards,
  version_is_explicit boolean not null,
  -- The home as it was when the quote was made: a later import never changes an offer.
  address_uid text not null,
  address jsonb not null,
  region text not null,
  contract_start_date date not null,
  contract_end_date date not null,
  -- Who chose the date: nobody, the partner when making the quote, or the lead tenant with their personal information.
  start_origin text not null check (start_origin in ('default', 'partner', 'lead')),
  end_origin text not null check (end_origin in ('default', 'partner', 'lead')),
  selected_package_ids text[] not null default '{}',
  broadband_products jsonb not null default '[]',
  -- The provider's install dates as found when products were added, and the one chosen.
  broadband_install_dates date[] not null default '{}',
  broadband_start_date date,
  -- The agreed figures (QuotePrice); null until packages are selected.
  price jsonb,
  priced_at timestamptz not null,
  price_updates jsonb not null default '[]',
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index quotes_by_partner on quotes (partner_id, quote_id desc);
create index quotes_by_reference on quotes (partner_id, reference) where reference is not null;

create table customers (
  customer_id text primary key,
  quote_id text not null references quotes,
  partner_id text not null references partners,
  -- Joining order within the quote; the lowest one leads.
  joining_number integer not null,
  status text not null check (status in ('active', 'PersonalInfoComplete', 'OnboardingComplete')),
  payment_status text not null default 'not_started'
    check (payment_status in ('not_started', 'setup_started', 'setup_failed', 'ready', 'paid', 'failed')),
  -- AES-256-GCM, key id in the value, bound to this row and column: name, e-mail, phone, date of birth.
  personal_encrypted text not null,
  -- Keyed hash of the lower-case e-mail: finds a duplicate without being readable.
  email_hash text not null,
  -- Health data (Priority Services Register), encrypted likewise; null until personal information is given.
  psr_encrypted text,
  supply_during_cancellation boolean not null default false,
  personal_information_at timestamptz,
  terms_accepted_at timestamptz,
  -- What was agreed at acceptance: terms version, document hashes, price; the tenant's address and browser encrypted.
  acceptance jsonb,
  acceptance_evidence_encrypted text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (quote_id, joining_number),
  constraint one_tenant_per_email unique (quote_id, email_hash)
);
create index customers_by_partner on customers (partner_id, customer_id);

-- The payment processor's intent a customer's card is collected with. One open one a customer; cancelled ones stay as history.
create table setup_intents (
  setup_intent_id text primary key,
  customer_id text not null references customers on delete cascade,
  partner_id text not null references partners,
  processor_customer_id text not null,
  status text not null check (status in ('requires_payment_method', 'requires_confirmation', 'requires_action', 'processing', 'succeeded', 'canceled')),
  -- The processor's clock for the last event taken in, so that an older one arriving late changes nothing.
  last_event_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index one_open_setup_intent on setup_intents (customer_id) where status <> 'canceled';

-- The documents rendered once at acceptance: encrypted, hashed over the plain bytes, never changed after.
create table contract_documents (
  customer_id text primary key references customers,
  partner_id text not null references partners,
  html_encrypted bytea not null,
  html_sha256 text not null,
  pdf_encrypted bytea not null,
  pdf_sha256 text not null,
  created_at timestamptz not null
);

-- The indexes of all tables: an index begins with what a row is found by, such as an id or a hash, and includes the
-- partner. Only the index of a partner's list begins with the partner, and it has a condition that the statement of the
-- list repeats, and no other: to the planner of an empty table it would look as good as the key.

create table quotes (
  quote_id text not null,
  partner_id text not null,
  stage text not null check (stage in ('open', 'active', 'completed', 'cancelled')),
  -- The label of the last step while the quote is open; kept while it is active, for reopening.
  step_label text not null
    check (step_label in ('draft', 'PackagesSelected', 'TenantsAdded', 'PackagesUpdated', 'BroadbandAdded')),
  bedrooms smallint check (bedrooms >= 0),
  -- The branch of the partner that sells it, as people's branches are named.
  branch text,
  -- Who sold it: a name, or the id of one of the partner's people.
  sold_by text,
  quoting_tool_version_id text not null,
  version_is_explicit boolean not null,
  -- The home as it was when the quote was made: a later import never changes an offer.
  address_uid text not null,
  address jsonb not null,
  region text not null,
  contract_start_date date not null,
  contract_end_date date not null check (contract_end_date >= contract_start_date),
  -- Who chose the date: nobody, the partner when making the quote, or the lead tenant with their personal information.
  start_origin text not null check (start_origin in ('default', 'partner', 'lead')),
  end_origin text not null check (end_origin in ('default', 'partner', 'lead')),
  selected_package_ids text[] not null default '{}',
  broadband_products jsonb not null default '[]',
  -- The provider's install dates as found when products were added, and the one chosen.
  broadband_install_dates date[] not null default '{}',
  broadband_start_date date,
  -- The agreed figures (QuotePrice); null until packages are selected.
  price json,
  priced_at timestamptz not null,
  price_updates jsonb not null default '[]',
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Nobody of the quote is known any more, and the partner's own reference, which may say anything, has gone as well.
  -- Null again once somebody is added.
  persons_removed_at timestamptz,
  -- The install date that the partner selected; null if broadband starts on the earliest one.
  selected_install_date date,
  -- What repricing or a new start changed in the choices of the quote, until somebody chooses again.
  price_warnings jsonb not null default '[]',
  locked_until timestamptz,
  terms_version text,
  prices_updated boolean not null default false,
  -- What was reported about the supply of a home: the status of each service by its serviceId. Nothing is reported at
  -- first.
  service_statuses jsonb not null default '{}',
  reference_encrypted text,
  -- Keyed hash of the partner and the reference.
  reference_hash text,
  -- What a partner keeps with a quote: its own keys and values, encrypted. Null if there is none.
  metadata_encrypted text,
  services text[] not null default '{}' check (services <@ '{electricity,gas,broadband}'),
  -- When the partner or the lead tenant said that everybody who shares the bills is on the quote.
  household_complete_at timestamptz,
  -- Whether the partner has this deployment write to the tenants before they have a contract.
  send_emails boolean not null default false,
  -- Where the tenants' pages lead back to: an address of the partner, encrypted.
  return_url_encrypted text,
  -- How the household moves in (MoveIn), and who is responsible for the home after it, encrypted.
  move_in jsonb,
  next_occupier_encrypted text,
  -- The day on which it moves in: the first day of the contract if nobody said another.
  moves_in_on date not null generated always as (coalesce(
    make_date(left(move_in ->> 'date', 4)::int, substr(move_in ->> 'date', 6, 2)::int, right(move_in ->> 'date', 2)::int),
    contract_start_date)) stored,
  -- What is known of the household's tenancy (Tenancy) and of the home's meters (MeterFacts); null if nothing is.
  tenancy jsonb,
  meter jsonb,
  -- Row-level security keeps an index on an expression from being used, because the operator is not leakproof.
  mpan text generated always as (address ->> 'mpan') stored,
  mprn text generated always as (address ->> 'mprn') stored,
  post_code text generated always as (address ->> 'postCode') stored,
  primary key (quote_id, partner_id)
);
-- Homes where energy is paid for with a key, card or app.
create index quotes_on_prepayment on quotes (quote_id) where meter ->> 'payment' = 'prepayment';
create index quotes_listed on quotes (partner_id, created_at, quote_id) where created_at > '-infinity';
create index quotes_by_expiry on quotes (partner_id, expires_at)
  where persons_removed_at is null and expires_at > '-infinity';
-- What a rate card that was withdrawn still prices.
create index quotes_on_offer on quotes (quoting_tool_version_id, expires_at)
  where stage = 'open' and quoting_tool_version_id > '';
create index quotes_signed_on_card on quotes (quoting_tool_version_id, stage, quote_id)
  where stage in ('active', 'completed') and quoting_tool_version_id > '';
create index quotes_by_lock on quotes (locked_until) where stage = 'active' and locked_until is not null;
create index quotes_to_remind on quotes (locked_until) where stage = 'active' and send_emails;
-- Two homes can be stored with one meter point. Then two contracts for it are as wrong as two for one home, and a quote
-- warns of both.
create index quotes_by_mpan on quotes (mpan, partner_id, contract_end_date) where stage in ('active', 'completed');
create index quotes_by_mprn on quotes (mprn, partner_id, contract_end_date) where stage in ('active', 'completed');
create index quotes_to_move_in on quotes (moves_in_on) where stage = 'completed' and moves_in_on > '-infinity';
create index quotes_by_postcode on quotes (post_code, partner_id, created_at, quote_id) where post_code is not null;
-- What already covers a property or a person, or may come to. A quote covers nothing while it is open.
create index quotes_by_property on quotes (address_uid, partner_id, contract_end_date)
  where stage in ('open', 'active', 'completed');
create index quotes_by_branch on quotes (branch, partner_id, created_at, quote_id) where branch is not null;
create index quotes_by_seller on quotes (sold_by, partner_id, created_at, quote_id) where sold_by is not null;
create index quotes_by_reference on quotes (reference_hash, partner_id) where reference_hash is not null;
select audit_table('quotes', 'quote', 'quote_id', '{updated_at, reference_hash, services, mpan, mprn, post_code}');

create table customers (
  customer_id text not null,
  quote_id text not null,
  partner_id text not null,
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
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The processor's clock for the last collection it told of, so that an older notice arriving late changes nothing.
  last_collection_at timestamptz,
  -- The processor's id of the customer, known from the moment it was answered and before an intent is stored.
  processor_customer_id text,
  -- When the processor was first asked to set this customer up. It forgets idempotency keys after a day: from then on
  -- what an unfinished call may have left there is looked for before anything is made.
  processor_asked_at timestamptz,
  -- Erasure. `retained_until`: what the law needs of a customer with a contract stays until then.
  erased_at timestamptz,
  retained_until date,
  -- When it became known that the customer, who is not erased, can lead no household.
  cannot_lead_since timestamptz,
  -- Why the last attempt to attach a card or to collect a payment failed; null if it succeeded.
  last_payment_error_encrypted text,
  -- contract_number: the contract that the customer agreed to last. removed_at: when a customer who once had a contract
  -- left the quote.
  contract_number text,
  removed_at timestamptz,
  -- A tenant who takes over the share of another: whom they replace, and from which day at the earliest.
  replaces_customer_id text,
  joins_on date,
  -- The next day on which a need of the Priority Services Register details ends: infinity if none does, -infinity if
  -- all have ended, null without needs. Not encrypted, so that a job finds the day; it says neither which need nor what
  -- it is.
  psr_review_on date,
  -- When the needs were given; null without needs. The tenant's pages show it without reading the needs.
  psr_given_at timestamptz,
  -- The operator finds customers of all partners by e-mail address and phone number (keyed hashes), postcode and
  -- reference. The hash is empty without a number.
  phone_hash text,
  -- How often the links to a customer's documents were revoked. A link opens nothing once this number is greater than
  -- when it was made.
  links_revision integer not null default 0,
  -- Goes up when the links to the tenant's pages and the sessions that they began end. A link carries the number that it
  -- works with; one that was sent on the tenant's request carries the next, which counts once the link is opened.
  onboarding_revision integer not null default 0,
  -- Goes up when the marks end with which browsers that once entered a code need no other.
  devices_revision integer not null default 0,
  -- When a link to the pages was first opened, and when the tenant first proved to read the e-mails to their address.
  pages_opened_at timestamptz,
  email_confirmed_at timestamptz,
  -- When the e-mail address last became another one; null if it never did.
  email_changed_at timestamptz,
  -- When the tenant agreed to lead the household, after the lead tenant was erased.
  agreed_to_lead_at timestamptz,
  -- Whether the reader of a reminder to sign wants no more of them.
  reminders_off boolean not null default false,
  -- Whether a tenant named this person, on their pages: then fewer e-mails are sent until this person has opened theirs.
  named_by_tenant boolean not null
    default coalesce(nullif(current_setting('housebill.origin', true), '')::jsonb ->> 'actor' = 'tenant', false),
  -- Since when the e-mail address is one at a domain of the partner's people, or one that has lately proved itself for
  -- a tenant of another name: the operator looks at it.
  email_at_partner_since timestamptz,
  email_of_another_since timestamptz,
  -- What the tenant has to do next before they have a contract; null if nothing.
  waits_for text generated always as (case
    when removed_at is not null or erased_at is not null then null
    when status = 'active' then 'details'
    when status <> 'PersonalInfoComplete' then null
    when payment_status in ('ready', 'paid', 'failed') then 'agreement' else 'card' end) stored,
  primary key (customer_id, partner_id),
  foreign key (partner_id, replaces_customer_id) references customers (partner_id, customer_id),
  constraint customers_quote_id_fkey foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  unique (quote_id, partner_id, joining_number),
  constraint customers_replaces check ((replaces_customer_id is null) = (joins_on is null))
);
create index customers_by_email on customers (email_hash, partner_id, customer_id);
create index customers_by_phone on customers (phone_hash, customer_id) where phone_hash > '';
create index customers_erased on customers (erased_at) where erased_at is not null;
create index customers_by_replaced on customers (replaces_customer_id, partner_id)
  where replaces_customer_id is not null;
create index customers_listed on customers (partner_id, customer_id) where created_at > '-infinity';
create index customers_at_partner on customers (email_at_partner_since) where email_at_partner_since is not null;
create index customers_of_another on customers (email_of_another_since) where email_of_another_since is not null;
create index customers_waiting on customers (waits_for, partner_id, customer_id) include (quote_id)
  where waits_for is not null;
create index customers_to_remind on customers (pages_opened_at)
  where pages_opened_at > '-infinity' and status <> 'OnboardingComplete' and removed_at is null and erased_at is null;
create index customers_psr_to_review on customers (psr_review_on) where isfinite(psr_review_on);
create unique index one_tenant_per_email
  on customers (quote_id, partner_id, (case when removed_at is null then email_hash end));
-- A tenant has at most one replacement that has not accepted yet.
create unique index one_waiting_joiner on customers (replaces_customer_id, partner_id)
  where terms_accepted_at is null and removed_at is null;
select audit_table('customers', 'customer', 'customer_id', '{updated_at, phone_hash, email_changed_at, waits_for}');

-- Sessions of tenants on our pages. The browser has the secret. Without a foreign key: the session of a customer whose row
-- is gone opens nothing.
create table tenant_sessions (
  session_hash text not null,
  partner_id text not null,
  customer_id text not null,
  -- The customer's onboarding_revision when the session began.
  revision integer not null,
  -- On the partner's clock, as all times of this table.
  expires_at timestamptz not null,
  -- Whether the tenant has proved in this browser to read the e-mails to their address.
  is_confirmed boolean not null,
  -- When the code that was e-mailed last ends, and how often one was entered. The code follows from both and a key.
  code_expires_at timestamptz,
  code_tries integer not null default 0,
  primary key (session_hash, partner_id)
);
create index tenant_sessions_by_expiry on tenant_sessions (expires_at) where expires_at > '-infinity';

-- Each version of the operator's terms, stored at the first start with it and never changed. Belongs to no partner.
create table terms_versions (
  version text primary key,
  -- Everything a tenant agrees to under this version, as JSON, and the SHA-256 of these bytes in hex.
  text text not null,
  sha256 text not null,
  -- `isFreeWhenTenancyEnds` of the program.
  is_free_when_tenancy_ends boolean not null generated always as (jsonb_path_exists(text::jsonb,
    '$.earlyExit.waivedFor[*] ? (@.cause == "tenancy_ended" && !exists(@.services))')) stored,
  stored_at timestamptz not null default now()
);

-- What a tenant was shown before accepting: the payment schedule, or a preview of the contract. Written only when it
-- differs from what they were shown last.
create table previewed_terms (
  -- The customer, the source and the hash, so that showing the same again changes a row.
  preview_id text not null,
  partner_id text not null,
  customer_id text not null,
  source text not null check (source in ('payment-schedule', 'preview-html', 'preview-pdf')),
  -- Of the figures, dates and payment plan.
  terms_hash text not null,
  -- Of everything that would be agreed; null for a payment schedule.
  document_hash text,
  content_encrypted text not null,
  -- On the partner's clock.
  first_shown_at timestamptz not null,
  opened_at timestamptz,
  -- In real time, which decides what was shown last.
  last_shown_at timestamptz not null default clock_timestamp(),
  primary key (preview_id, partner_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index previewed_terms_by_customer on previewed_terms (customer_id, partner_id, last_shown_at);
select audit_table('previewed_terms', 'previewed terms', 'preview_id', '{last_shown_at}');

-- A list of rows that a job works through: households to make, or tenancies that end.
create table imports (
  import_id text not null,
  partner_id text not null,
  kind text not null check (kind in ('start', 'end')),
  -- The client id or the person's id, in whose name its rows are done.
  created_by text not null,
  -- What somebody is still working on, before there are rows and beside them.
  draft_encrypted text,
  -- On the partner's clock; null for a draft.
  begun_at timestamptz,
  -- Since when no row is begun because too many addresses were wrong, and when the partner last said to go on.
  paused_at timestamptz,
  continued_at timestamptz,
  -- On the partner's clock.
  created_at timestamptz not null,
  -- In real time: when it is deleted follows from it.
  changed_at timestamptz not null,
  primary key (import_id, partner_id),
  check (paused_at is null or begun_at is not null)
);
create index imports_by_change on imports (changed_at) where changed_at > '-infinity';
create index imports_by_partner on imports (partner_id, created_at) where created_at > '-infinity';
select audit_table('imports', 'import', 'import_id', '{changed_at}');

create table import_rows (
  import_id text not null,
  row_number integer not null check (row_number between 1 and 500),
  partner_id text not null,
  -- What was sent, and then also what came of it; null after an erasure.
  content_encrypted text,
  -- Null for a row that is not done.
  outcome text check (outcome in ('done', 'unchanged', 'failed', 'cancelled')),
  quote_id text,
  attempts integer not null default 0,
  primary key (import_id, row_number, partner_id),
  foreign key (partner_id, import_id) references imports (partner_id, import_id),
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id),
  check (quote_id is not null or outcome is null or outcome in ('failed', 'cancelled'))
);
create index import_rows_to_do on import_rows (import_id, row_number) where outcome is null;
create index import_rows_by_quote on import_rows (quote_id, partner_id) where quote_id is not null;
select audit_table('import_rows', 'import row', 'import_id', '{attempts}');

create table properties (
  address_uid text primary key,
  -- Upper case with one space before the last three characters.
  postcode text not null,
  address_line1 text not null,
  address_line2 text not null default '',
  city text not null,
  county text not null default '',
  country text not null,
  uprn text not null check (uprn ~ '^[1-9][0-9]{0,11}$') unique,
  mpan text,
  mprn text,
  -- The facts about meters and heating that the operator's file gives; null if it gives none.
  meter jsonb,
  source text not null,
  -- A sandbox property with an outcome of its own, such as 'no-gas'; null for ordinary ones.
  special_case text,
  updated_at timestamptz not null default now()
);
-- Also for the postcodes of a sector: `like 'LS2 9%'`.
create index properties_by_postcode on properties (postcode text_pattern_ops);

-- How many lines a partner has had matched on the last day on which it had any: address data is licensed.
create table address_match_counts (
  partner_id text primary key,
  day date not null,
  lines integer not null
);
select audit_table('address_match_counts', 'matched addresses', 'partner_id');

-- What a supplier said of a postcode. The homes themselves are in properties, under the addressUid they were first
-- given.
create table address_lookups (
  source text not null,
  -- Upper case with one space before the last three characters.
  postcode text not null,
  -- Empty where the supplier has none there.
  address_uids text[] not null,
  fetched_at timestamptz not null,
  primary key (source, postcode)
);

-- From the operator's meter-point file. A home may be in it long before anybody looks it up.
create table meter_points (
  -- Without zeros in front, so that it is found however the number is written.
  uprn text primary key check (uprn ~ '^[1-9][0-9]{0,11}$'),
  mpan text,
  mprn text,
  meter jsonb,
  updated_at timestamptz not null default now()
);

-- One row an upstream and address: only responses are kept, failures are asked again.
create table broadband_responses (
  address_uid text not null,
  upstream text not null check (upstream in ('home-telecom', 'broadband-database')),
  response jsonb not null,
  responded_at timestamptz not null,
  primary key (address_uid, upstream)
);

-- That this partner has seen the check for this address, and the products it was offered.
create table broadband_checks (
  partner_id text not null,
  address_uid text not null,
  products jsonb not null,
  checked_at timestamptz not null,
  primary key (partner_id, address_uid)
);

create table broadband_steering (
  partner_id text not null references partners (partner_id),
  address_uid text not null,
  upstream text not null check (upstream in ('home-telecom', 'broadband-database')),
  outcome text not null,
  seconds integer,
  primary key (partner_id, address_uid, upstream)
);
select audit_table('broadband_steering', 'broadband steering', 'address_uid');

create table availability_requests (
  uid text not null,
  partner_id text not null references partners (partner_id),
  address_uid text not null,
  status text not null check (status in ('pending', 'completed')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Whether a check with this request counted towards the partner's limit and both upstreams responded. Until the
  -- request expires, the partner's other checks of the property do not count. What other partners have checked makes no
  -- difference.
  is_charged boolean not null default false,
  primary key (uid, partner_id)
);
create index availability_requests_by_expiry on availability_requests (expires_at) where expires_at > '-infinity';
create index availability_requests_by_home on availability_requests (address_uid, partner_id, expires_at);
select audit_table('availability_requests', 'availability request', 'uid');

create table rate_cards (
  quoting_tool_version_id text primary key,
  name text not null,
  card jsonb not null,
  -- SHA-256 of the card's canonical JSON: publishing the same card again is recognised, another under its id rejected.
  card_sha256 text not null,
  -- First and last day it may be sold; null for an open end.
  on_sale_from date,
  on_sale_to date,
  -- Publication order: the default is the latest published card that may be sold today.
  publication_number bigint generated always as identity unique,
  published_at timestamptz not null default now(),
  withdrawn_at timestamptz,
  -- Nobody is to sign on it any more: a job prices anew what nobody has signed.
  signing_stopped_at timestamptz check (signing_stopped_at is null or withdrawn_at is not null),
  -- A restricted card is for some partners only. Nobody else sees it or can choose it.
  is_restricted boolean not null default false
);

create table rate_card_partners (
  quoting_tool_version_id text not null references rate_cards (quoting_tool_version_id) on delete cascade,
  partner_id text not null references partners (partner_id),
  primary key (quoting_tool_version_id, partner_id)
);
create index rate_card_partners_by_partner on rate_card_partners (partner_id, quoting_tool_version_id);
select audit_table('rate_card_partners', 'rate card', 'quoting_tool_version_id');

-- Who changed the life of a card, and when. Without a foreign key, because the history of a discarded draft stays.
create table rate_card_changes (
  change_number bigint generated always as identity primary key,
  quoting_tool_version_id text not null,
  change text not null check (change in ('published', 'scheduled', 'restricted', 'withdrawn', 'signing_stopped')),
  -- An operator's client id or login name.
  made_by text not null,
  made_at timestamptz not null default now()
);
create index rate_card_changes_by_card on rate_card_changes (quoting_tool_version_id, change_number);

create function reject_rate_card_change() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and row (new.quoting_tool_version_id, new.name, new.card, new.card_sha256, new.published_at,
              new.publication_number)
         is not distinct from
         row (old.quoting_tool_version_id, old.name, old.card, old.card_sha256, old.published_at,
              old.publication_number)
     and (old.withdrawn_at is null or new.withdrawn_at is not distinct from old.withdrawn_at)
     and (old.signing_stopped_at is null or new.signing_stopped_at is not distinct from old.signing_stopped_at)
  then return new; end if;
  raise exception 'published rate cards are immutable: publish a new version instead';
end $$;

create trigger rate_cards_are_immutable before delete or update on rate_cards
  for each row execute function reject_rate_card_change();

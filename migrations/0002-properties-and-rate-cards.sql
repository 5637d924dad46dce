-- What can be quoted: homes, and the published prices. Neither belongs to a partner.

create table properties (
  address_uid text primary key,
  -- Upper case with one space before the last three characters.
  postcode text not null,
  address_line1 text not null,
  address_line2 text not null default '',
  city text not null,
  county text not null default '',
  country text not null,
  uprn text not null unique,
  mpan text,
  mprn text,
  source text not null,
  -- A sandbox property with an outcome of its own, such as 'no-gas'; null for ordinary ones.
  special_case text,
  updated_at timestamptz not null default now()
);
create index properties_by_postcode on properties (postcode);

create table rate_cards (
  quoting_tool_version_id text primary key,
  name text not null,
  card jsonb not null,
  -- SHA-256 of the card's canonical JSON: publishing the same card again is recognised, another under its id refused.
  card_sha256 text not null,
  -- First and last day it may be sold; null for an open end.
  on_sale_from date,
  on_sale_to date,
  -- Publication order: the default is the latest published card that may be sold today.
  publication_number bigint generated always as identity unique,
  published_at timestamptz not null default now()
);

create function refuse_rate_card_change() returns trigger language plpgsql as $$
begin
  raise exception 'published rate cards are immutable: publish a new version instead';
end $$;
create trigger rate_cards_are_immutable before update or delete on rate_cards
  for each row execute function refuse_rate_card_change();

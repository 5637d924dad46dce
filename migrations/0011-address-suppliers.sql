-- Homes that a supplier of addresses tells us, and the meters that no such supplier knows.

-- What a supplier said of a postcode. The homes themselves are in properties, under the addressUid they were first given.
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
  uprn text primary key,
  mpan text,
  mprn text,
  updated_at timestamptz not null default now()
);

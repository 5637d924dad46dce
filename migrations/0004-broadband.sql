-- Broadband availability: requests belong to a partner, what the upstreams answered belongs to the address.

create table availability_requests (
  uid text primary key,
  partner_id text not null references partners,
  address_uid text not null,
  status text not null check (status in ('pending', 'completed')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index availability_requests_by_home on availability_requests (partner_id, address_uid, expires_at);

-- One row an upstream and address: only answers are kept, failures are asked again.
create table broadband_answers (
  address_uid text not null,
  upstream text not null check (upstream in ('home-telecom', 'broadband-database')),
  answer jsonb not null,
  answered_at timestamptz not null,
  primary key (address_uid, upstream)
);

-- That this partner has seen the check for this address, and the products it was offered.
create table broadband_checks (
  partner_id text not null references partners,
  address_uid text not null,
  products jsonb not null,
  checked_at timestamptz not null,
  primary key (partner_id, address_uid)
);

-- How a sandbox partner wants the simulated broadband upstreams to behave for a home. Without a row a home behaves as it is.

create table broadband_steering (
  partner_id text not null references partners,
  address_uid text not null,
  upstream text not null check (upstream in ('home-telecom', 'broadband-database')),
  outcome text not null,
  seconds integer,
  primary key (partner_id, address_uid, upstream)
);

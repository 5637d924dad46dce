-- A tenant who takes over the share of another: whom they replace, and from which day at the earliest.
alter table customers
  add column replaces_customer_id text,
  add column joins_on date,
  add constraint customers_replaces check ((replaces_customer_id is null) = (joins_on is null)),
  add foreign key (partner_id, replaces_customer_id) references customers (partner_id, customer_id);
-- A tenant has at most one replacement that has not accepted yet.
create unique index one_waiting_joiner on customers (replaces_customer_id)
  where terms_accepted_at is null and removed_at is null;

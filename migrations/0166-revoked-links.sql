-- How often the links to a customer's documents were revoked. A link opens nothing once this number is greater than when it was made.
alter table customers add column links_revision integer not null default 0;
grant select (links_revision) on customers to housebill_system;

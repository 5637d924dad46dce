-- The operator finds customers of all partners by e-mail address and phone number (keyed hashes), postcode and reference. A phone number from before this
-- migration gets its hash when the customer's details change or the key of the hashes is replaced; null until then, empty without a number.
alter table customers add column phone_hash text;
drop index customers_by_email;
create index customers_by_email on customers (email_hash, partner_id, customer_id);
create index customers_by_phone on customers (phone_hash, customer_id) where phone_hash > '';
create index quotes_by_postcode on quotes ((address ->> 'postCode'), quote_id);
drop trigger audit on customers;
create trigger audit after insert or delete or update on customers
  for each row execute function audit_change('customer', 'customer_id', 'updated_at', 'phone_hash');
grant select (email_hash, phone_hash, created_at) on customers to housebill_operator;
grant select (reference_hash, reference_encrypted) on quotes to housebill_operator;

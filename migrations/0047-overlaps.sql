-- What already covers a property or a person. A quote covers nothing while it is open or once it is cancelled.
create index quotes_by_property on quotes (partner_id, address_uid, contract_end_date) where stage in ('active', 'completed');
create index customers_by_email on customers (partner_id, email_hash, customer_id) where removed_at is null and erased_at is null;

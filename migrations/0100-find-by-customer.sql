-- Reading a customer read all setup intents, and so did deleting one, which also read all customers.
create index setup_intents_by_customer on setup_intents (partner_id, customer_id);
create index customers_by_replaced on customers (partner_id, replaces_customer_id) where replaces_customer_id is not null;

-- An event may be about no quote. It has no place among the events of a quote, so it is delivered in no particular order.
alter table events alter column quote_id drop not null;
-- It demanded a quote of every delivery of an event.
alter table if exists deliveries drop constraint if exists deliveries_check;

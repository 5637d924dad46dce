-- The W3C traceparent of the request that caused the event. Deliveries of the event continue its trace.
alter table events add column traceparent text;

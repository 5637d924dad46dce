-- What was delivered or given up is removed after 30 days, with its events: the indexes by which the scheduled job finds it.
-- An entry is made once, when the delivery ends or the event is dispatched.
create index deliveries_ended on deliveries (created_at) where status <> 'pending';
create index events_dispatched on events (occurred_at) where dispatched_at is not null;

-- What was reported about the supply of a home: the status of each service by its serviceId. Nothing is reported at first.
alter table quotes add column service_statuses jsonb not null default '{}';

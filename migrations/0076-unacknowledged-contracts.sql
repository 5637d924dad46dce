-- Finds contracts that the back office has not taken over, without reading all that it has.
alter table contract_versions add column is_acknowledged boolean not null default false;
create index contract_versions_unacknowledged on contract_versions (recorded_at) where not is_acknowledged;
grant update (is_acknowledged) on contract_versions to housebill_app;

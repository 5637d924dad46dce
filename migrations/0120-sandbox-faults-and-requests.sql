-- What a sandbox partner's developer asks for and looks up. Both tables stay empty in live.

-- Errors and delays that a partner asked for. They end after an hour, so that none is forgotten.
create table sandbox_faults (
  fault_number bigint generated always as identity primary key,
  partner_id text not null,
  operation_id text not null,
  -- Null if the operation is only slow.
  code text,
  delay_ms integer not null check (delay_ms between 0 and 30000),
  acts text not null check (acts in ('before', 'after')),
  remaining integer not null check (remaining >= 0),
  expires_at timestamptz not null
);
create index sandbox_faults_by_operation on sandbox_faults (partner_id, operation_id, fault_number);
alter table sandbox_faults enable row level security;
alter table sandbox_faults force row level security;
create policy own_rows on sandbox_faults to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
grant select, insert, delete, update (remaining) on sandbox_faults to housebill_app;

-- Until when the partner may have faults. It is read with the partner's credentials, so calls of a partner without faults ask for nothing more.
alter table partners add column sandbox_faults_until timestamptz;
grant update (sandbox_faults_until) on partners to housebill_app;

-- The latest requests of each partner. Unlogged: writing them costs no write-ahead log, and a crash of PostgreSQL empties the table.
create unlogged table sandbox_requests (
  partner_id text not null,
  entry_id text not null,
  at timestamptz not null,
  request_id text not null,
  method text not null,
  route text not null,
  operation_id text not null,
  status integer not null,
  code text,
  duration_ms integer not null,
  primary key (partner_id, entry_id)
);
create index sandbox_requests_by_age on sandbox_requests (at);
alter table sandbox_requests enable row level security;
alter table sandbox_requests force row level security;
create policy own_rows on sandbox_requests to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
grant select, delete on sandbox_requests to housebill_app;
create policy add_requests on sandbox_requests for insert to housebill_system with check (true);
create policy find_old_requests on sandbox_requests for select to housebill_system using (true);
create policy delete_old_requests on sandbox_requests for delete to housebill_system using (true);
grant insert, select (partner_id, entry_id, at), delete on sandbox_requests to housebill_system;

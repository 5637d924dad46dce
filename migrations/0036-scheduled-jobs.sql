-- One row for each scheduled job (src/worker/jobs/). Belongs to no partner. Times are the database's.
create table scheduled_jobs (
  name text primary key,
  -- The next run may begin. Stays in the past while a run is under way, so that a run that is cut off is repeated.
  due_at timestamptz not null,
  -- The process that runs it, and until when no other process may.
  runner uuid,
  leased_until timestamptz,
  started_at timestamptz,
  succeeded_at timestamptz
);
grant select, insert, update on scheduled_jobs to housebill_system;

-- Of the job library used until now. Holds no data that outlives a day.
drop schema if exists pgboss cascade;

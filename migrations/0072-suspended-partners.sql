-- A suspended partner keeps its credentials, tokens and webhooks, but its calls are rejected until the operator resumes it.
alter table partners add column suspended_at timestamptz;
grant update (suspended_at) on partners to housebill_system;

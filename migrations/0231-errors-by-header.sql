-- A sandbox's partners ask for errors with a header, and start over as a new partner.
drop table sandbox_faults;
alter table partners drop column sandbox_faults_until;
create or replace function commission_never_changes() returns trigger language plpgsql as $$
begin
  raise exception '% are append-only: book a correction in an open month instead', tg_table_name;
end $$;
drop function is_sandbox();
revoke delete on sandbox_requests from housebill_app;

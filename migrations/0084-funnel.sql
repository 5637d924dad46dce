-- What became of the quotes of each partner and day in London. A job counts a day again when one of its quotes has changed, so the rows can always be
-- made anew from the tables. See src/domain/reports/count-funnel.ts.
create index quotes_by_creation on quotes (partner_id, created_at);

create table funnel_days (
  partner_id text not null references partners,
  day date not null,
  quotes integer not null default 0,
  priced integer not null default 0,
  tenants integer not null default 0,
  details integer not null default 0,
  card integer not null default 0,
  accepted integer not null default 0,
  in_force integer not null default 0,
  value_pence bigint not null default 0,
  primary key (day, partner_id)
);
alter table funnel_days enable row level security;
alter table funnel_days force row level security;
create policy own_rows on funnel_days to housebill_app
  using (partner_id = (select proof.partner()))
  with check (partner_id = (select proof.partner()));
create policy read_for_operator on funnel_days for select to housebill_operator using (true);
grant select, insert, update on funnel_days to housebill_app;
grant select on funnel_days to housebill_operator;

-- How far the audit log has been followed: every change of a transaction before `counted_below` is counted, and every change that was visible at
-- `counted_at`. The epoch changes with a restore, after which transactions are numbered anew.
create table funnel_progress (
  is_only boolean primary key default true check (is_only),
  epoch text not null,
  counted_below xid8 not null,
  counted_at timestamptz not null
);
grant select, insert, update on funnel_progress to housebill_system;
grant select (counted_at) on funnel_progress to housebill_operator;

-- Which quotes changed, at all partners: ids only, never who changed what.
create policy find_changed_quotes on audit_log for select to housebill_system using (quote_id is not null);
grant select (partner_id, quote_id, transaction_id) on audit_log to housebill_system;

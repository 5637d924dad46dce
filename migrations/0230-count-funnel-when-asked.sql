-- The funnel is counted when somebody asks for it: see src/domain/reports/funnel-days.store.ts.
drop table funnel_days, funnel_progress;
delete from scheduled_jobs where name = 'count-funnel';
drop policy find_changed_quotes on audit_log;
revoke select (partner_id, quote_id, transaction_id) on audit_log from housebill_system;
grant select (created_at, price) on quotes to housebill_operator;
grant select (personal_information_at, payment_status) on customers to housebill_operator;

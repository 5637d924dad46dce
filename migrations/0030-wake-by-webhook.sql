-- The notification names the webhooks for which something is due, unless they are very many: a worker that has its hands full for each
-- of them need not look. Every insert notifies, as the one beside it may name others. A worker of an earlier version looks at everything.
create or replace function wake_workers_for_due_deliveries() returns trigger language plpgsql as $$
declare
  due_for text := (
    select string_agg(distinct webhook_id, ',') from inserted where next_attempt_at is not null and leased_until is null
  );
begin
  -- A payload ends at 8,000 bytes.
  if length(due_for) < 4000 then
    perform pg_notify('housebill_webhooks', 'deliveries ' || due_for);
  elsif due_for is not null then
    perform pg_notify('housebill_webhooks', 'deliveries');
  end if;
  return null;
end $$;

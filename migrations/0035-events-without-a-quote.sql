-- An event may be about no quote. It has no place among the events of a quote, so it is delivered in no particular order.
alter table events alter column quote_id drop not null;

-- Where deliveries is a table, its check demands a quote of every delivery of an event.
do $$
begin
  if exists (select from pg_constraint where conname = 'deliveries_check' and conrelid = to_regclass('public.deliveries')) then
    alter table deliveries drop constraint deliveries_check;
  end if;
end $$;

-- The services of the lines of the price, so that quotes that overlap are compared without reading their prices.
alter table quotes no force row level security;
alter table quotes disable trigger audit;
alter table quotes add column services text[] not null default '{}';
update quotes set services = array(select line ->> 'type' from json_array_elements(price -> 'lines') line) where price is not null;
alter table quotes enable trigger audit;
alter table quotes force row level security;
-- A change of the price says it already.
create or replace trigger audit after insert or update or delete on quotes
  for each row execute function audit_change('quote', 'quote_id', 'updated_at', 'reference_hash', 'services');

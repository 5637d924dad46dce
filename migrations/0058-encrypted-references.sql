-- A partner's reference of a quote may name people, so it is encrypted, and found by a keyed hash. It is stored with the quote only: events
-- and messages get it when they are read or sent.

alter table quotes
  add column reference_encrypted text,
  add column reference_hash text;
comment on column quotes.reference_hash is 'keyed hash of the partner and the reference';
drop trigger audit on quotes;
create trigger audit after insert or update or delete on quotes
  for each row execute function audit_change('quote', 'quote_id', 'updated_at', 'reference_hash');

-- Only the program has the keys. It encrypts these references when it next opens the database, and deletes them here.
create table plain_references (
  quote_id text primary key,
  partner_id text not null,
  reference text not null,
  foreign key (partner_id, quote_id) references quotes (partner_id, quote_id)
);
alter table quotes no force row level security;
insert into plain_references (quote_id, partner_id, reference)
  select quote_id, partner_id, reference from quotes where reference is not null;
alter table quotes force row level security;
create index plain_references_by_partner on plain_references (partner_id, quote_id);
alter table plain_references enable row level security;
alter table plain_references force row level security;
create policy own_rows on plain_references to housebill_app
  using (partner_id = (select proof.partner()))
  with check (partner_id = (select proof.partner()));
grant select, delete on plain_references to housebill_app;
create policy find_partners on plain_references for select to housebill_system using (true);
grant select (partner_id) on plain_references to housebill_system;

drop index quotes_by_reference;
alter table quotes drop column reference;
create index quotes_by_reference on quotes (partner_id, reference_hash) where reference_hash is not null;

-- The worker adds the encrypted reference to the messages that it sends.
create policy read_for_messages on quotes for select to housebill_system using (reference_encrypted is not null);
grant select (reference_encrypted) on quotes to housebill_system;

-- The members before the reference contain only values that Housebill generates, so the pattern matches the member and no text in it.
alter table events no force row level security;
update events set data = regexp_replace(data::text, '"reference":"([^"\\]|\\.)*"', '"reference":null')::json
 where data ->> 'reference' is not null;
alter table events force row level security;
-- It was needed only to remove references.
revoke update (data) on events from housebill_app;
-- Messages of earlier versions, which were stored with their delivery. Test messages have a reference of ours.
alter table delivery_queue no force row level security;
update delivery_queue set own_body = regexp_replace(own_body, '"reference":"([^"\\]|\\.)*"', '"reference":null')
 where own_body like '%"reference":"%' and own_body not like '%"test":true}';
alter table delivery_queue force row level security;
alter table delivery_history no force row level security;
update delivery_history set own_body = regexp_replace(own_body, '"reference":"([^"\\]|\\.)*"', '"reference":null')
 where own_body like '%"reference":"%' and own_body not like '%"test":true}';
alter table delivery_history force row level security;

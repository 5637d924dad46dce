-- A rate card has a life: draft, published (by another person than its author, or by the operator's own hand), withdrawn. Its figures never change.
-- A draft has no published_at, and gets its place in the order of publication when it is published.
alter table rate_cards
  alter column published_at drop not null,
  alter column published_at drop default,
  add column withdrawn_at timestamptz,
  add constraint only_published_cards_are_withdrawn check (withdrawn_at is null or published_at is not null);

create or replace function refuse_rate_card_change() returns trigger language plpgsql as $$
begin
  if old.published_at is null and tg_op = 'DELETE' then return old; end if;
  if tg_op = 'UPDATE'
     and row (new.quoting_tool_version_id, new.name, new.card, new.card_sha256)
         is not distinct from row (old.quoting_tool_version_id, old.name, old.card, old.card_sha256)
     and (old.published_at is null
          or row (new.published_at, new.publication_number) is not distinct from row (old.published_at, old.publication_number))
     and (old.withdrawn_at is null or new.withdrawn_at is not distinct from old.withdrawn_at)
  then return new; end if;
  raise exception 'published rate cards are immutable: publish a new version instead';
end $$;

grant update (publication_number, published_at, withdrawn_at, on_sale_from, on_sale_to), delete on rate_cards to housebill_system;

-- Who changed the life of a card, and when. Without a foreign key, because the history of a discarded draft stays.
create table rate_card_changes (
  change_number bigint generated always as identity primary key,
  quoting_tool_version_id text not null,
  change text not null check (change in ('drafted', 'published', 'scheduled', 'restricted', 'withdrawn', 'discarded')),
  -- An operator's client id or login name.
  made_by text not null,
  made_at timestamptz not null default now()
);
create index rate_card_changes_by_card on rate_card_changes (quoting_tool_version_id, change_number);
grant select, insert on rate_card_changes to housebill_system;

-- A restricted card is for some partners only. Nobody else sees it or can choose it.
alter table rate_cards add column is_restricted boolean not null default false;
grant update (is_restricted) on rate_cards to housebill_system;
create table rate_card_partners (
  quoting_tool_version_id text not null references rate_cards on delete cascade,
  partner_id text not null references partners,
  primary key (quoting_tool_version_id, partner_id)
);
create index rate_card_partners_by_partner on rate_card_partners (partner_id, quoting_tool_version_id);
alter table rate_card_partners enable row level security;
alter table rate_card_partners force row level security;
create policy own_rows on rate_card_partners to housebill_app
  using (partner_id = (select proof.partner())) with check (partner_id = (select proof.partner()));
create policy every_row on rate_card_partners to housebill_system using (true) with check (true);
grant select on rate_card_partners to housebill_app;
grant select, insert, delete on rate_card_partners to housebill_system;
create trigger audit after insert or delete or update on rate_card_partners
  for each row execute function audit_change('rate card', 'quoting_tool_version_id');

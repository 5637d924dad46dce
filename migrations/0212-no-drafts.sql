-- A card is published as it is stored. Its figures and its place in the order of publication never change.
delete from rate_cards where published_at is null;
alter table rate_cards
  alter column published_at set default now(),
  alter column published_at set not null,
  drop constraint only_published_cards_are_withdrawn;
create or replace function refuse_rate_card_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
     and row (new.quoting_tool_version_id, new.name, new.card, new.card_sha256, new.published_at, new.publication_number)
         is not distinct from
         row (old.quoting_tool_version_id, old.name, old.card, old.card_sha256, old.published_at, old.publication_number)
     and (old.withdrawn_at is null or new.withdrawn_at is not distinct from old.withdrawn_at)
  then return new; end if;
  raise exception 'published rate cards are immutable: publish a new version instead';
end $$;
revoke update (publication_number, published_at), delete on rate_cards from housebill_system;

delete from rate_card_changes where change in ('drafted', 'discarded');
alter table rate_card_changes
  drop constraint rate_card_changes_change_check,
  add constraint rate_card_changes_change_check check (change in ('published', 'scheduled', 'restricted', 'withdrawn'));

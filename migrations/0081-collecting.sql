-- The attempts of Housebill itself to collect an entry. An attempt is stored before the processor is asked: with its number, the same attempt can be asked
-- for again after a crash without taking anything twice. Null or 0 for entries that Housebill never asked for.
alter table payment_entries
  add column attempt_number integer not null default 0,
  add column attempted_at timestamptz,
  add column attempted_card text,
  -- The entry whose failed payment this fee is for.
  add column fee_for text unique,
  add constraint payment_entries_attempt check ((attempt_number = 0) = (attempted_at is null) and (attempted_at is null) = (attempted_card is null)),
  add constraint payment_entries_fee check (fee_for is null or kind = 'fee');
create index payment_entries_to_collect on payment_entries (due_on, entry_id)
  where status in ('planned', 'submitted', 'failed') and kind <> 'refund';
create index payment_entries_attempted on payment_entries (attempted_at) where attempted_at is not null;

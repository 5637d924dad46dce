-- What a tenant was shown before accepting: the payment schedule, or a preview of the contract. Written only when it differs from what they
-- were shown last.
create table shown_terms (
  -- The customer, the source and the hash, so that showing the same again changes a row.
  shown_id text primary key,
  partner_id text not null references partners,
  customer_id text not null,
  source text not null check (source in ('payment-schedule', 'preview-html', 'preview-pdf')),
  -- Of the figures, dates and payment plan.
  terms_hash text not null,
  -- Of everything that would be agreed; null for a payment schedule.
  document_hash text,
  content_encrypted text not null,
  -- On the partner's clock.
  first_shown_at timestamptz not null,
  opened_at timestamptz,
  -- In real time, which decides what was shown last.
  last_shown_at timestamptz not null default clock_timestamp(),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id)
);
create index shown_terms_by_customer on shown_terms (partner_id, customer_id, last_shown_at);
create trigger audit after insert or update or delete on shown_terms
  for each row execute function audit_change('shown terms', 'shown_id', 'last_shown_at');
alter table shown_terms enable row level security;
alter table shown_terms force row level security;
create policy own_rows on shown_terms to housebill_app
  using (partner_id = current_setting('housebill.partner_id', true))
  with check (partner_id = current_setting('housebill.partner_id', true));
grant select, insert, update, delete on shown_terms to housebill_app;

-- What the processor was asked to pay back of a refund, from one payment. An order is stored before the processor is asked, so that after a crash the same one is
-- asked for again and nothing is paid twice.
create table refund_orders (
  partner_id text not null,
  order_id text not null,
  customer_id text not null,
  -- The refund that is paid, and the payment that it goes back to.
  refund_entry_id text not null,
  entry_id text not null,
  payment_id text not null,
  amount_pence bigint not null check (amount_pence > 0),
  -- `asked`: without an answer yet. `refused`: the card does not take it, so it is paid by bank.
  status text not null default 'asked' check (status in ('asked', 'accepted', 'refused')),
  -- The processor's id of the refund.
  refund_id text,
  reason text,
  -- Whether a job asked for it, whose daily limit counts it.
  by_job boolean not null,
  asked_at timestamptz not null,
  primary key (partner_id, order_id),
  foreign key (partner_id, customer_id) references customers (partner_id, customer_id),
  foreign key (partner_id, refund_entry_id) references payment_entries (partner_id, entry_id),
  foreign key (partner_id, entry_id) references payment_entries (partner_id, entry_id)
);
create index refund_orders_by_refund on refund_orders (partner_id, refund_entry_id);
create index refund_orders_by_payment on refund_orders (partner_id, entry_id);
create index refund_orders_by_job on refund_orders (asked_at) where by_job;
alter table refund_orders enable row level security;
alter table refund_orders force row level security;
create policy own_rows on refund_orders to housebill_app
  using (partner_id = (select proof.partner()))
  with check (partner_id = (select proof.partner()));
grant select, insert, update, delete on refund_orders to housebill_app;
create policy read_for_operator on refund_orders for select to housebill_operator using (true);
grant select on refund_orders to housebill_operator;
create trigger audit after insert or update or delete on refund_orders
  for each row execute function audit_change('refund order', 'order_id');

-- A refund whose rest no card takes.
alter table payment_entries add column pay_by_bank boolean not null default false;
create index payment_entries_refunds on payment_entries (due_on, entry_id)
  where kind = 'refund' and status in ('planned', 'submitted', 'failed');

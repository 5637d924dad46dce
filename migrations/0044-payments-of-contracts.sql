-- The plan and the final statement of a contract belong to it.
alter table payment_entries
  add foreign key (partner_id, contract_number) references contracts (partner_id, contract_number);
create index payment_entries_by_contract on payment_entries (partner_id, contract_number);

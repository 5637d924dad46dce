-- Nothing reads which transaction wrote an entry.
alter table audit_log drop column transaction_id;

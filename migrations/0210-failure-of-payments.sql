-- Why the last attempt to collect a payment failed: a code, encrypted, because it can say that somebody had no money.
alter table payment_entries add column failure_encrypted text;

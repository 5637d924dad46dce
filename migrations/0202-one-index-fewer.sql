-- Nothing looks for the entries of a transaction: only the seals and the funnel's counter did.
drop index audit_log_by_transaction;

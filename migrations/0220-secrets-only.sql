-- Clients authenticate with secrets only.
drop table used_proofs;
alter table credentials drop column client_keys, drop column requires_dpop;

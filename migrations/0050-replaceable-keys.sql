-- Keys can be replaced. The setting `signing-keys` says which key signs and which ones still verify, so that all kinds of key follow one
-- schedule; during a replacement there are two keys. An empty private_jwk_encrypted belongs to a key that signs nothing more.
alter table signing_keys drop column retired_at;

-- A client id that an external identity provider knows: its secret is kept there and checked there, never here.
alter table credentials alter column secret_hash drop not null;

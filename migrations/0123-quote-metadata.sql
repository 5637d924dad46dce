-- What a partner keeps with a quote: its own keys and values, encrypted. Null if there is none.
alter table quotes add column metadata_encrypted text;

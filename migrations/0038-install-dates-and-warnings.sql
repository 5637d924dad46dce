-- The install date that the partner selected; null if broadband starts on the earliest one.
alter table quotes add column selected_install_date date;
-- What repricing or a new start changed in the choices of the quote, until somebody chooses again.
alter table quotes add column price_warnings jsonb not null default '[]'::jsonb;

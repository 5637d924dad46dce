-- An import copies its file to a temporary table, so nothing is kept between two attempts. A UPRN has one form: without leading zeros.
drop table property_imports;

alter table properties add constraint properties_uprn_check check (uprn ~ '^[1-9][0-9]{0,11}$');
alter table meter_points add constraint meter_points_uprn_check check (uprn ~ '^[1-9][0-9]{0,11}$');

#!/bin/sh
# PostgreSQL's container runs this once, when it makes the database: the three logins of docs/configuration.md.
set -eu
password() { sed 's|.*://[^:]*:\([^@]*\)@.*|\1|' "${SECRETS:-/run/secrets}/$1"; }
psql --set=ON_ERROR_STOP=1 --set=owner="$(password database_owner_url)" --set=app="$(password database_url)" \
  --set=system="$(password database_system_url)" --username=postgres <<'SQL'
create role bills_owner login password :'owner' createrole;
create role bills_app login password :'app';
create role bills_system login password :'system';
create database bills owner bills_owner template template0 encoding 'UTF8'
  locale_provider builtin builtin_locale 'C.UTF-8' locale 'C';
revoke connect on database bills from public;
grant connect on database bills to bills_app, bills_system;
SQL

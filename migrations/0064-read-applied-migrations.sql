-- A process looks for migrations that it does not know: a newer version has then begun to work on the same database.
grant select (name) on schema_migrations to housebill_system;

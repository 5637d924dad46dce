-- How far a large import of properties has come. It fills the table next_properties, which then takes the place of properties. Only the
-- tables' owner imports in bulk, so no role has rights to either.
create table property_imports (
  -- There is at most one.
  is_unfinished boolean primary key default true check (is_unfinished),
  -- What was changed in properties before this transaction, the import has seen.
  since xid8 not null default pg_snapshot_xmin(pg_current_snapshot()),
  -- The newest migration when next_properties was created.
  newest_migration text not null,
  -- How much of the file next_properties holds, and the hash of those bytes.
  bytes_read bigint not null,
  sha256 text not null,
  -- The header of the file, how many lines were read, and what became of their rows.
  header jsonb,
  lines_read bigint not null,
  result jsonb not null,
  -- The transaction that copied the rows of properties that the file does not have.
  carried_by xid8
);

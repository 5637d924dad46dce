-- The processor's clock for the last collection it told of, so that an older notice arriving late changes nothing.
alter table customers add column last_collection_at timestamptz;

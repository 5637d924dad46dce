-- The key made every new quote lock the row of the rate card that all of them use. Quotes refer to published cards only, and a trigger keeps those
-- from being deleted.
alter table quotes drop constraint quotes_quoting_tool_version_id_fkey;

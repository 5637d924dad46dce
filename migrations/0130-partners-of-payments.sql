-- The operator's list of payments says whose they are, and whether that partner still sells.
grant select (suspended_at, disabled_at) on partners to housebill_operator;

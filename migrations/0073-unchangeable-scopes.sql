-- The login that works across partners must not widen credentials, so migration 0072 granted it too much.
revoke update (scopes) on credentials from housebill_system;

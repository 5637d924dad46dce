-- Messages about a webhook itself are few, and their recent attempts are counted while the webhook is not verified.
create index delivery_history_own on delivery_history (webhook_id) where event_id is null;

-- What tells a processor's answer that was overtaken, and a notice that says what an answer has told better, from news.
alter table setup_intents
  add column revision integer not null default 0,
  add column last_answer_at timestamptz;

drop trigger audit on setup_intents;
create trigger audit after insert or update or delete on setup_intents
  for each row execute function audit_change('setup intent', 'setup_intent_id', 'updated_at', 'ask_after', 'asked_count', 'last_event_at',
    'revision', 'last_answer_at');

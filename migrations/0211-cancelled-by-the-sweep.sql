-- The job that checks unfinished setup intents cancels those that are not wanted any more, too.
drop index setup_intents_to_cancel;

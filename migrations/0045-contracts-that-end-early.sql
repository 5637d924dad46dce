-- How a contract was cancelled or ended early: what was said about it, and what was owed in the end.
alter table contracts
  add column ending_encrypted text,
  add column final_statement jsonb;

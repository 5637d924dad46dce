-- State of the sandbox's payment processor simulator, apart from the service's own tables as a real processor's would
-- be. It holds no card number and no client secret, and nothing personal that could be read without the simulator's key.

create schema simulated_processor;

create table simulated_processor.customers (
  id text primary key,
  -- The wire form without its personal fields.
  object jsonb not null,
  -- Name, e-mail, phone and description: AES-256-GCM, bound to this id.
  personal_sealed text not null,
  created_at timestamptz not null default now()
);
create index customers_by_metadata on simulated_processor.customers using gin ((object -> 'metadata') jsonb_path_ops);

create table simulated_processor.setup_intents (
  id text primary key,
  -- The wire form without its client secret, which is derived from the id when it is asked for.
  object jsonb not null,
  -- What happens once the customer has authenticated; null unless the status is requires_action.
  after_authentication jsonb,
  created_at timestamptz not null default now()
);

create table simulated_processor.idempotent_answers (
  key text primary key,
  -- Keyed hash over method, path and parameters, a card number reduced to its last four digits beforehand.
  fingerprint text not null,
  -- Status and body of the answer, sealed; null only inside the transaction that is making it.
  answer_sealed text,
  created_at timestamptz not null default now()
);
create index idempotent_answers_by_age on simulated_processor.idempotent_answers (created_at);

-- The sweep over collections whose notice never came: whose processor customer an event is about, and the event list of the
-- simulated processor.

create index setup_intents_by_processor_customer on setup_intents (processor_customer_id);

-- Every event, also of those whose webhook is made to be lost; kept for 30 days, as a real processor does.
create table simulated_processor.events (
  number bigint generated always as identity primary key,
  id text not null unique,
  type text not null,
  -- By the processor's clock, in Unix seconds.
  happened_at bigint not null,
  -- As its webhook has it, byte for byte.
  body text not null
);
create index events_newest_first on simulated_processor.events (happened_at desc, number desc);

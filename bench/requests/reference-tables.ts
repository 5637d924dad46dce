/** The rungs of the ladder: each adds a duty to those before it. */
export const rungs = [
  'statement',
  'transaction',
  'token',
  'row security',
  'audit',
  'event and response',
  'encryption',
] as const
export type Rung = (typeof rungs)[number]

/** The tables of the ladder, which a superuser makes in each database that needs them. */
export const referenceTables = `
  create table ref_quotes (quote_id text, partner_id text, data jsonb not null,
    created_at timestamptz not null default now(),
    primary key (quote_id, partner_id));
  create table ref_tenants (tenant_id text, partner_id text, quote_id text not null, position int not null,
    personal text not null,
    primary key (quote_id, partner_id, position));
  create table ref_audit (entry bigint generated always as identity primary key, partner_id text not null,
    action text not null,
    subject text not null, actor text, at timestamptz not null default clock_timestamp());
  create table ref_events (event_id text, partner_id text, quote_id text not null, type text not null,
    data json not null,
    primary key (event_id, partner_id));
  create table ref_responses (key text, partner_id text, request_hash text not null, response text not null,
    primary key (key, partner_id));
  create function ref_audit() returns trigger language plpgsql as $$ begin
    insert into ref_audit (partner_id, action, subject, actor)
    values (new.partner_id, tg_op, to_jsonb(new) ->> 'quote_id', current_setting('ref.actor', true));
    return null;
  end $$;
  create trigger audit after insert on ref_quotes for each row
    when (current_setting('ref.audited', true) = 'on') execute function ref_audit();
  create trigger audit after insert on ref_tenants for each row
    when (current_setting('ref.audited', true) = 'on') execute function ref_audit();
  do $$ declare name text; begin
    if not exists (select from pg_roles where rolname = 'ref_login') then create role ref_login login; end if;
    foreach name in array array['ref_quotes', 'ref_tenants', 'ref_audit', 'ref_events', 'ref_responses'] loop
      execute format('alter table %I enable row level security', name);
      execute format('create policy own on %I using (partner_id = (select current_setting(''ref.partner'', true)))',
        name);
      execute format('grant select, insert on %I to ref_login', name);
    end loop;
  end $$;`

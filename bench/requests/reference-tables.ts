/**
 * The tables of the reference server, which a superuser makes in each database that needs them, and a function for each
 * operation. A call of a function is a transaction of its own, in which the function first sets who acts.
 */
export const referenceTables = `
  create table ref_quotes (quote_id uuid, partner_id text, data json not null,
    created_at timestamptz not null default now(),
    primary key (quote_id, partner_id));
  create table ref_tenants (tenant_id uuid, partner_id text, quote_id uuid not null, position int not null,
    personal text not null,
    primary key (quote_id, partner_id, position));
  create table ref_audit (entry bigint generated always as identity primary key, partner_id text not null,
    action text not null,
    subject text not null, actor text, at timestamptz not null default clock_timestamp());
  create table ref_events (event_id uuid, partner_id text, quote_id uuid not null, type text not null,
    data json not null,
    primary key (event_id, partner_id));
  create table ref_responses (key text, partner_id text, request_hash bytea not null, response bytea not null,
    primary key (key, partner_id));
  create table ref_revoked_tokens (token_hash text primary key, expires_at timestamptz not null);
  create function ref_audit() returns trigger language plpgsql as $$ begin
    insert into ref_audit (partner_id, action, subject, actor)
      select partner_id, tg_op, quote_id, current_setting('ref.actor', true) from added;
    return null;
  end $$;
  create trigger audit after insert on ref_quotes referencing new table as added for each statement execute function ref_audit();
  create trigger audit after insert on ref_tenants referencing new table as added for each statement execute function ref_audit();
  create function ref_read(partner text, id uuid, is_logged boolean, out data text, out tenants text)
  language plpgsql as $$ begin
    perform set_config('ref.partner', partner, true), set_config('ref.actor', 'client', true);
    select q.data, (select string_agg(ordered.personal, ' ') from (select t.personal from ref_tenants t
        where t.partner_id = q.partner_id and t.quote_id = q.quote_id order by t.position) ordered)
      into data, tenants from ref_quotes q where q.partner_id = partner and q.quote_id = id;
    if is_logged then
      insert into ref_audit (partner_id, action, subject, actor) values (partner, 'read', id, 'client');
    end if;
  end $$;
  create function ref_create(partner text, id uuid, data json, personal text[], event_id uuid, event json,
    key text, request_hash bytea, response bytea) returns void language plpgsql as $$ begin
    perform set_config('ref.partner', partner, true), set_config('ref.actor', 'client', true);
    with quote as (insert into ref_quotes (quote_id, partner_id, data) values (id, partner, data))
    insert into ref_tenants (tenant_id, partner_id, quote_id, position, personal)
      select gen_random_uuid(), partner, id, x.position, x.personal
        from unnest(personal) with ordinality x (personal, position);
    with written as (insert into ref_events (event_id, partner_id, quote_id, type, data)
      values (event_id, partner, id, 'quote.created', event))
    insert into ref_responses (key, partner_id, request_hash, response) values (key, partner, request_hash, response);
  end $$;
  do $$ declare name text; begin
    if not exists (select from pg_roles where rolname = 'ref_login') then create role ref_login login; end if;
    foreach name in array array['ref_quotes', 'ref_tenants', 'ref_audit', 'ref_events', 'ref_responses'] loop
      execute format('alter table %I enable row level security', name);
      execute format('create policy own on %I using (partner_id = current_setting(''ref.partner'', true))', name);
      execute format('grant select, insert on %I to ref_login', name);
    end loop;
    grant select on ref_revoked_tokens to ref_login;
  end $$;`

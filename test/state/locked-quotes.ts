import { Client } from 'pg'

/*
 * Checks inside PostgreSQL that locked quotes do not change. A trigger records every change to what was agreed in an
 * active or completed quote, even if the change was requested before the quote was locked.
 */

const install = `
  create schema watched;
  create table watched.violations (violation text not null);
  create function watched.quote_changed() returns trigger language plpgsql security definer as $$
    begin
      if old.stage in ('active', 'completed') and new.stage in ('active', 'completed')
         and (old.price::jsonb, old.selected_package_ids, old.broadband_products, old.contract_start_date,
           old.contract_end_date, old.region, old.address)
             is distinct from
             (new.price::jsonb, new.selected_package_ids, new.broadband_products, new.contract_start_date,
               new.contract_end_date, new.region, new.address)
      then insert into watched.violations values (new.quote_id || ' was changed while ' || old.stage);
      end if;
      return null;
    end $$;
  create function watched.tenants_changed() returns trigger language plpgsql security definer as $$
    declare of_quote text := coalesce(new.quote_id, old.quote_id); found text;
    begin
      select stage into found from public.quotes where quote_id = of_quote;
      if found in ('active', 'completed')
      then insert into watched.violations values ('the tenants of ' || of_quote || ' were changed while ' || found);
      end if;
      return null;
    end $$;
  grant usage on schema watched to public;
  create trigger watched after update on public.quotes for each row execute function watched.quote_changed();
  create trigger watched after insert or delete on public.customers
    for each row execute function watched.tenants_changed();`

/** Installs the triggers. The violations that they record are read with the other invariants (`invariants.ts`). */
export async function installLockedQuoteTriggers(connectionString: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(install)
  } finally {
    await client.end()
  }
}

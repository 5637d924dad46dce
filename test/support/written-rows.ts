import { Client } from 'pg'

/*
 * Counts what transactions that were committed have written, row by row: two runs that come to the same counts have had the
 * same effects, however many requests either of them took.
 */

const install = `
  create schema counted;
  create table counted.rows (written text not null);
  create function counted.count_row() returns trigger language plpgsql security definer as $$
    begin
      insert into counted.rows values (tg_table_schema || '.' || tg_table_name || ' ' || tg_op);
      return null;
    end $$;
  grant usage on schema counted to public;
  do $$ declare each record; begin
    -- A trigger on a partitioned table is on its partitions too.
    for each in select relnamespace::regnamespace::text as schemaname, relname as tablename from pg_class
      where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text in ('public', 'simulated_processor') loop
      execute format('create trigger counted after insert or update or delete on %I.%I for each row execute function counted.count_row()',
        each.schemaname, each.tablename);
    end loop;
  end $$;`

/** Begins to count in every table of a deployment that is there now. */
export async function countWrittenRows(connectionString: string): Promise<void> {
  await ask(connectionString, install)
}

/** How many rows were inserted, updated and deleted since, by table: `public.quotes INSERT`. */
export async function writtenRows(connectionString: string): Promise<Map<string, number>> {
  const rows = await ask(
    connectionString,
    'select written, count(*)::int as count from counted.rows group by written order by written',
  )
  return new Map(rows.map(({ written, count }) => [String(written), Number(count)]))
}

async function ask(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

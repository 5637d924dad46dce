import { Client } from 'pg'

/*
 * Counts the rows that committed transactions wrote. Two runs with the same counts had the same effects, however many
 * requests each sent.
 */

const install = `
  create schema counted;
  create table counted.rows (written text not null);
  create function counted.count_row() returns trigger language plpgsql security definer as $$
    begin
      -- A repeated request reads again, but has no other effect again.
      if tg_argv[0] = 'audit_log' then
        if new.action = 'read' then
          return null;
        end if;
      end if;
      -- What is shown of a card is read after the response, or by a job if the process was killed, so it may come before
      -- the contract or change it.
      if tg_argv[0] = 'contract_versions' then
        if new.change = 'payment_method_changed' then
          return null;
        end if;
      end if;
      insert into counted.rows values (tg_table_schema || '.' || tg_argv[0] || ' ' || tg_op);
      return null;
    end $$;
  grant usage on schema counted to public;
  do $$ declare each record; begin
    -- A trigger on a partitioned table is on its partitions too. Their rows count as the table's.
    for each in select relnamespace::regnamespace::text as schemaname, relname as tablename from pg_class
      where relkind in ('r', 'p') and not relispartition
        and relnamespace::regnamespace::text in ('public', 'simulated_processor') loop
      execute format('create trigger counted after insert or update or delete on %I.%I '
        'for each row execute function counted.count_row(%L)',
        each.schemaname, each.tablename, each.tablename);
    end loop;
  end $$;`

/** Starts counting the rows written to each table that exists now. */
export async function startCountingWrittenRows(connectionString: string): Promise<void> {
  await runStatement(connectionString, install)
}

/**
 * The number of rows written since `startCountingWrittenRows`, by table and operation, such as `public.quotes INSERT`.
 */
export async function countWrittenRows(connectionString: string): Promise<Map<string, number>> {
  const rows = await runStatement(
    connectionString,
    'select written, count(*)::int as count from counted.rows group by written order by written',
  )
  return new Map(rows.map(({ written, count }) => [String(written), Number(count)]))
}

async function runStatement(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

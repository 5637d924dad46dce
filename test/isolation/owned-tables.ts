import { Client } from 'pg'

/** A table with a partner's rows. */
export interface OwnedTable {
  /** The table's name, qualified with its schema. */
  name: string
  /** Whether row-level security is enabled, and whether it also applies to the owner of the table. */
  isEnabled: boolean
  isForced: boolean
  /** The columns that can be written. */
  columns: string[]
}

/**
 * Every table with a partner_id column, from the catalogue. Partitions are left out, because statements use only their
 * parent table.
 */
export async function listOwnedTables(connectionString: string): Promise<OwnedTable[]> {
  return withClient(connectionString, async (client) => {
    const { rows } = await client.query<OwnedTable>(`
      select format('%I.%I', n.nspname, c.relname) as name,
             c.relrowsecurity as "isEnabled", c.relforcerowsecurity as "isForced",
             (select array_agg(quote_ident(attname)::text order by attnum) from pg_attribute
               where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
                 and attidentity = '') as columns
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition and n.nspname = 'public'
         and exists (select from pg_attribute where attrelid = c.oid and attname = 'partner_id' and not attisdropped)
       order by 1`)
    return rows
  })
}

/** Opens a connection for the duration of `work`. */
export async function withClient<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

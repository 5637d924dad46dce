import { Client } from 'pg'

/** Every row of every table as text, as an attacker with a copy of the database would see it. */
export async function readDatabaseContents(connectionString: string): Promise<Map<string, string>> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name
         from pg_tables where schemaname in ('public', 'simulated_processor') order by 1`,
    )
    const contents = new Map<string, string>()
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      contents.set(name, rows.map(({ row }) => row).join('\n'))
    }
    return contents
  } finally {
    await client.end()
  }
}

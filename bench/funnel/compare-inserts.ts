import type { Pool } from 'pg'

const inserts = 20_000
const rounds = 3

/** The time of an insert into quotes in microseconds, with and without the index of their creation. Rolls everything back. */
export async function compareInserts(pool: Pool): Promise<{ without: number; withIndex: number }> {
  const client = await pool.connect()
  const insert = async (before: string) => {
    await client.query(
      `begin; set local session_replication_role = replica; set local statement_timeout = 0; ${before}`,
    )
    const startedAt = performance.now()
    await client.query(
      `insert into quotes select (jsonb_populate_record(t, jsonb_build_object('quote_id', 'quote_z' || lpad(n::text, 25, '0'), 'created_at', now()))).*
         from quotes t, generate_series(1, ${inserts}) n where t.quote_id = (select min(quote_id) from quotes)`,
    )
    const ms = performance.now() - startedAt
    await client.query('rollback')
    return (ms * 1_000) / inserts
  }
  try {
    const taken = { without: [] as number[], withIndex: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      taken.withIndex.push(await insert(''))
      taken.without.push(await insert('drop index quotes_by_creation'))
    }
    return { without: Math.min(...taken.without), withIndex: Math.min(...taken.withIndex) }
  } finally {
    client.release()
  }
}

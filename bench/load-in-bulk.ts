import type { PoolClient } from 'pg'
import type { Database } from '../src/db/database.ts'

/**
 * Writes a million events and deliveries in well under the time that as many changes take: in one transaction, without looking up
 * what the rows refer to, without triggers, and with the indexes made again at the end. Afterwards the tables are as ones that
 * grew over weeks are: vacuumed, counted and on disk. `insert` is given the connection the transaction is on.
 */
export async function loadInBulk(db: Database, insert: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await db.pool.connect()
  try {
    await client.query("set statement_timeout = '4min'")
    await client.query('begin')
    await client.query("set local maintenance_work_mem = '256MB'")
    // What the rows refer to is known to be there, and nothing is woken by them.
    await client.query('set local session_replication_role = replica')
    const indexes = await dropIndexes(client)
    await insert(client)
    for (const definition of indexes) await client.query(definition)
    await client.query('commit')
    await client.query('vacuum analyze events, delivery_queue, delivery_history')
    await client.query('checkpoint')
  } finally {
    // Its settings are its own.
    client.release(true)
  }
}

/** Keeping them up row by row would double the time; returns what makes them again. */
async function dropIndexes(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid in ('events'::regclass, 'delivery_queue'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

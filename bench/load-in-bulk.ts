import type { PoolClient } from 'pg'
import type { Database } from '../src/db/database.ts'

/**
 * Writes a million events and deliveries much faster than the service could: in one transaction, without foreign key checks and
 * triggers, and with the indexes rebuilt at the end. Afterwards, the tables are vacuumed, analysed and written to disk, as if they had
 * grown over weeks. `insert` receives the transaction's connection.
 */
export async function loadInBulk(db: Database, insert: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await db.pool.connect()
  try {
    await client.query("set statement_timeout = '4min'")
    await client.query('begin')
    await client.query("set local maintenance_work_mem = '256MB'")
    // This skips the foreign key checks and the triggers. The referenced rows exist, and no worker needs to be notified.
    await client.query('set local session_replication_role = replica')
    const indexes = await dropIndexes(client)
    await insert(client)
    for (const definition of indexes) await client.query(definition)
    await client.query('commit')
    await client.query('vacuum analyze events, delivery_queue, delivery_history')
    await client.query('checkpoint')
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

/** Drops the indexes, because maintaining them row by row would double the time. Returns the statements that recreate them. */
async function dropIndexes(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid in ('events'::regclass, 'delivery_queue'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition)
}

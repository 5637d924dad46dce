import type { PoolClient } from 'pg'
import type { Database } from '../src/db/database.ts'
import { withoutIndexes } from './without-indexes.ts'

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
    await withoutIndexes(client, ['events', 'delivery_queue'], () => insert(client))
    // Statements that wait for this transaction are planned at its commit, and plans that were made for empty tables would take seconds.
    await client.query('analyze events, delivery_queue')
    await client.query('commit')
    await client.query('vacuum analyze events, delivery_queue, delivery_history')
    await client.query('checkpoint')
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

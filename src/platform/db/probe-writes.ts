import type { Pool } from 'pg'
import { createDatabase, inTransaction } from './database.ts'
import { sql } from './sql.ts'

/**
 * Writes one row to a new file and commits, without waiting for a standby. A change in a page that exists would not
 * notice a full disk. Throws `service_unavailable` if the database rejects it.
 */
export async function probeWrites(pool: Pool): Promise<void> {
  await inTransaction(createDatabase(pool), {}, async (tx) => {
    await tx.query(sql`set local synchronous_commit = local`)
    await tx.query(sql`select probe_writes()`)
  })
}

import { type Database, inTransaction } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'

/**
 * Writes one row to a new file and commits, without waiting for a standby. A change in a page that exists would not notice a full disk. Throws `service_unavailable` if the database refuses it.
 */
export async function probeWrites(db: Database): Promise<void> {
  await inTransaction(db, {}, async (tx) => {
    await tx.query(sql`set local synchronous_commit = local`)
    await tx.query(sql`select probe_writes()`)
  })
}

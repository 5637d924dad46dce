import type { Queryable } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { sealAuditLog } from '../../src/domain/audit/audit-seals.store.ts'
import { waitFor } from './wait-for.ts'

/**
 * Seals every entry that exists now at once, so in one seal for each partner. First waits until every older transaction has ended: one
 * may be open in another test's database.
 */
export async function sealEverything(system: Queryable): Promise<void> {
  const [{ limit } = { limit: '' }] = await system.query<{ limit: string }>(
    sql`select pg_snapshot_xmax(pg_current_snapshot())::text as limit`,
  )
  await waitFor('the older transactions have ended', async () => {
    const [found] = await system.query<{ hasEnded: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${limit}::text::xid8 as "hasEnded"`,
    )
    return found?.hasEnded
  })
  await sealAuditLog(system)
}

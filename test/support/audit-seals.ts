import type { Queryable } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { sealAuditLog } from '../../src/domain/audit/audit-seals.store.ts'
import { waitFor } from './wait-for.ts'

/** Seals every entry that exists now. Waits while a transaction that is older than one of them is open in another test's database. */
export async function sealEverything(system: Queryable): Promise<void> {
  const [{ limit } = { limit: '' }] = await system.query<{ limit: string }>(
    sql`select pg_snapshot_xmax(pg_current_snapshot())::text as limit`,
  )
  await waitFor('the older transactions have ended', async () => {
    await sealAuditLog(system)
    const [found] = await system.query<{ isSealed: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${limit}::text::xid8 as "isSealed"`,
    )
    if (found?.isSealed === true) await sealAuditLog(system)
    return found?.isSealed
  })
}

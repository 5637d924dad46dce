import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Month } from './commission-month.ts'

/** The last month of the partner that is closed; null if none is. */
export async function findLastClosed(db: Queryable, partnerId: Id<'partner'>): Promise<Month | null> {
  const [row] = await db.query<{ month: Month | null }>(sql`
    select to_char(max(month), 'YYYY-MM') as month from commission_closings where partner_id = ${partnerId}`)
  return row?.month ?? null
}

export async function insertClosing(tx: Tx, partnerId: Id<'partner'>, month: Month, closedAt: Date): Promise<void> {
  await tx.query(sql`
    insert into commission_closings (partner_id, month, closed_at) values (${partnerId}, ${`${month}-01`}, ${closedAt})`)
}

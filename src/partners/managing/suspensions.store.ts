import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/**
 * Suspends a partner, or resumes it with null. A partner that is suspended already keeps its time. Returns false if the
 * partner is unknown or disabled.
 */
export async function updateSuspension(db: Queryable, partnerId: string, suspendedAt: Date | null): Promise<boolean> {
  const rows = await db.query(sql`
    update partners
       set suspended_at = case when ${suspendedAt}::timestamptz is not null then coalesce(suspended_at, ${suspendedAt})
           end
     where partner_id = ${partnerId} and disabled_at is null returning 1`)
  return rows.length === 1
}

import type { Databases } from '../../db/databases.ts'
import { listPartners } from '../auth/partners.store.ts'
import { dropOldAuditMonths } from './audit-log.store.ts'
import { deleteOldAuditSeals } from './audit-seals.store.ts'

/** The maximum number of seals removed in one transaction. */
const sealsAtOnce = 10_000

/**
 * Removes the months of the audit log that ended more than `years` ago, then the seals of their entries, in batches. Each partner keeps the last of these
 * seals. Returns how many months and seals it removed. Ends early after an abort; the next run removes the rest.
 */
export async function removeOldAuditEntries(
  { databases: { system } }: { databases: Databases },
  { years, signal }: { years: number; signal: AbortSignal },
): Promise<{ months: number; seals: number }> {
  const months = await dropOldAuditMonths(system, years)
  let seals = 0
  for (const { partnerId } of await listPartners(system)) {
    for (let removed = sealsAtOnce; removed === sealsAtOnce && !signal.aborted; seals += removed)
      removed = await deleteOldAuditSeals(system, partnerId, sealsAtOnce)
  }
  return { months, seals }
}

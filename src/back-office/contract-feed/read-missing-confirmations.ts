import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { listMissingConfirmations, type MissingConfirmation } from './feed-rows.store.ts'

/**
 * GET /operator-api/Confirmations/missing: a page of the contracts in force whose tenants were not sent a confirmation.
 */
export async function readMissingConfirmations(
  { db, clock }: { db: Database; clock: Clock },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ missing: MissingConfirmation[]; hasMore: boolean }> {
  const found = await listMissingConfirmations(db, { now: clock.now(), after, limit: limit + 1 })
  return { missing: found.slice(0, limit), hasMore: found.length > limit }
}

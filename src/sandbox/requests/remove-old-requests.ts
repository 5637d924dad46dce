import type { Database } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/jobs/in-batches.ts'
import { deleteOldRequests, deleteSurplusRequests } from './requests.store.ts'

/** How many requests are removed in one transaction, in a few milliseconds. */
const batch = 1_000

/**
 * Keeps the lists of requests of all partners within their limits. Returns how many requests it removed. Can be
 * repeated at any time.
 */
export async function removeOldRequests({ db }: { db: Database }, signal: AbortSignal): Promise<number> {
  const old = await inBatches({ batch, signal }, (limit) => deleteOldRequests(db, limit))
  return old + (await inBatches({ batch, signal }, (limit) => deleteSurplusRequests(db, limit)))
}

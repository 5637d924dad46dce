import type { Database } from '../../platform/db/database.ts'
import { deleteOldRequests } from './requests.store.ts'

/**
 * Keeps the lists of requests of all partners within their limits. Returns how many requests it removed. Can be
 * repeated at any time.
 */
export function removeOldRequests({ db }: { db: Database }): Promise<number> {
  return deleteOldRequests(db)
}

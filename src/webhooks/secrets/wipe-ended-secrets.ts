import type { Database } from '../../platform/db/database.ts'
import { deleteEndedSecrets } from './secrets.store.ts'

/**
 * Removes at most `limit` secrets that are no longer used for signing and that no replayed response needs. Returns how
 * many.
 */
export async function wipeEndedSecrets({ db }: { db: Database }, limit: number): Promise<number> {
  return deleteEndedSecrets(db, limit)
}

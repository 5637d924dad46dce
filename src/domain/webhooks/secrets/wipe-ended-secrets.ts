import type { Database } from '../../../db/database.ts'
import { deleteEndedSecrets } from './secrets.store.ts'

/**
 * Removes signing secrets, at most `limit`, that sign no more and that no replay of a stored answer can ask for. Returns how
 * many went.
 */
export async function wipeEndedSecrets({ db }: { db: Database }, limit: number): Promise<number> {
  return deleteEndedSecrets(db, limit)
}

import type { Database } from '../../../db/database.ts'
import { deleteEndedSecrets } from './secrets.store.ts'

/** Removes signing secrets, at most `limit`, that no longer sign and that no replayed response needs. Returns how many. */
export async function wipeEndedSecrets({ db }: { db: Database }, limit: number): Promise<number> {
  return deleteEndedSecrets(db, limit)
}

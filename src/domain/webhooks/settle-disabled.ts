import { type Database, inTransaction } from '../../db/database.ts'
import { failWaitingForDisabled } from './deliveries.store.ts'

/**
 * Fails what still waits for disabled webhooks, at most `limit` deliveries, and returns how many it found. Apart from
 * disabling itself, as there may be a million of them; until then they wait unsent.
 */
export async function settleDisabled({ db }: { db: Database }, limit: number): Promise<number> {
  return inTransaction(db, {}, (tx) => failWaitingForDisabled(tx, limit))
}

import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { giveUpDisabled } from './settling.store.ts'

/**
 * Gives up what waits for disabled webhooks, at most `limit` deliveries, and returns how many there were. Apart from disabling itself, as
 * there may be a million of them; until then they wait unsent.
 */
export function settleDisabled({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, (tx) => giveUpDisabled(tx, limit))
}

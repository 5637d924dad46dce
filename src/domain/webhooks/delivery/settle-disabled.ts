import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { giveUpDisabled } from './settling.store.ts'

/**
 * Gives up pending deliveries of disabled webhooks, at most `limit`, and returns how many. Runs separately from disabling because there
 * may be a million; until then they are not sent.
 */
export function settleDisabled({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, (tx) => giveUpDisabled(tx, limit))
}

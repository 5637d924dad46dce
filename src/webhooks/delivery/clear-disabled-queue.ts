import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import { giveUpDeliveriesOfDisabledWebhooks } from './give-up.store.ts'

/**
 * Gives up at most `limit` pending deliveries of disabled webhooks, and returns how many. This is separate from
 * disabling because there may be a million of them. They are not sent in the meantime.
 */
export function clearQueueOfDisabledWebhooks({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, (tx) => giveUpDeliveriesOfDisabledWebhooks(tx, limit))
}

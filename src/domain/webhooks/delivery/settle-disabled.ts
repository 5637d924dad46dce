import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { holdBackDispatch } from './outbox.store.ts'
import { failWaitingForDisabled } from './settling.store.ts'

/**
 * Fails what still waits for disabled webhooks, at most `limit` deliveries, and returns how many it found. Apart from
 * disabling itself, as there may be a million of them; until then they wait unsent.
 */
export async function settleDisabled({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, 'many', async (tx) => {
    // The webhook may be enabled meanwhile: what is dispatched to it then must not queue behind what is failed here.
    await holdBackDispatch(tx)
    return failWaitingForDisabled(tx, limit)
  })
}

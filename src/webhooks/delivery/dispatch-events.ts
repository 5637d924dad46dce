import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import { type DispatchResult, dispatchOldestEvents, tryDispatchLock } from './dispatch.store.ts'

/**
 * Takes about `batch` of the oldest events in the outbox and queues one delivery for each webhook that subscribes to
 * them, in one transaction. Only one worker dispatches at a time, so that an event cannot overtake an earlier event of
 * its quote.
 */
export async function dispatchEvents({ db }: { db: Database }, batch: number): Promise<DispatchResult> {
  return inQueueTransaction(db, async (tx) =>
    (await tryDispatchLock(tx)) ? dispatchOldestEvents(tx, batch) : { events: 0, deliveries: 0, hasMore: false },
  )
}

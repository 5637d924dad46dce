import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { type Dispatched, dispatchOldest, tryDispatchLock } from './dispatch.store.ts'

/**
 * Turns the oldest events of the outbox, about `batch` of them, into one queued delivery for every webhook that wants them, in one
 * transaction. Only one worker dispatches at a time: an event can then never overtake an earlier one of its quote.
 */
export async function dispatchEvents({ db }: { db: Database }, batch: number): Promise<Dispatched> {
  return inQueueTransaction(db, async (tx) =>
    (await tryDispatchLock(tx)) ? dispatchOldest(tx, batch) : { events: 0, deliveries: 0, hasMore: false },
  )
}

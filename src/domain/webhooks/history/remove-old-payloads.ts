import { type Database, inTransaction } from '../../../db/database.ts'
import { releaseNext } from '../delivery/deliveries.store.ts'
import { holdBackDispatch } from '../delivery/outbox.store.ts'
import { deleteEndedDeliveries, deleteHeldDeliveries, deleteOldEvents } from './retention.store.ts'

export interface RemovedPayloads {
  /** Deliveries that had ended, each with its attempts. */
  deliveries: number
  /** Deliveries that waited for their webhook's verification until now. */
  held: number
  events: number
}

export interface RemovalPolicy {
  /** Rows in one transaction. */
  batch: number
  /** `WEBHOOK_REQUIRE_VERIFICATION`: without it nothing waits for verification. */
  requireVerification: boolean
  /** Asked between two transactions. */
  isStopping(): boolean
}

/**
 * Removes what is older than 30 days: deliveries that have ended, with their attempts; those that have waited for their
 * webhook's verification all the time; and then the events of which no delivery is left. Never an event that has yet to be
 * dispatched, nor a delivery that can still be sent, however old. In transactions of one batch each, so a run can be cut off
 * anywhere and simply be repeated. Where there is nothing to remove it costs one statement. Real time by the database's clock.
 */
export async function removeOldPayloads({ db }: { db: Database }, policy: RemovalPolicy): Promise<RemovedPayloads> {
  const { batch, requireVerification } = policy
  const removed: RemovedPayloads = { deliveries: 0, held: 0, events: 0 }
  const isMore = (found: number) => found >= batch && !policy.isStopping()

  let ended: Awaited<ReturnType<typeof deleteEndedDeliveries>>
  do {
    ended = await deleteEndedDeliveries(db, { limit: batch, requireVerification })
    removed.deliveries += ended.deleted
  } while (isMore(ended.deleted))

  for (let found = ended.hasHeld ? batch : 0; isMore(found); ) {
    found = await removeHeld(db, batch)
    removed.held += found
  }
  for (let found = ended.hasOldEvents ? batch : 0; isMore(found); ) {
    found = await deleteOldEvents(db, batch)
    removed.events += found
  }
  return removed
}

/** What stood behind a removed delivery gets its turn: it would otherwise wait for it for ever. */
async function removeHeld(db: Database, limit: number): Promise<number> {
  return inTransaction(db, {}, async (tx) => {
    await holdBackDispatch(tx)
    const deleted = await deleteHeldDeliveries(tx, limit)
    if (deleted.length > 0) await releaseNext(tx, deleted)
    return deleted.length
  })
}

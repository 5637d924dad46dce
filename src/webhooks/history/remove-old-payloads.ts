import { type Database, inTransaction } from '../../platform/db/database.ts'
import {
  deleteDeliveriesAwaitingVerification,
  deleteOldDeliveries,
  deleteOldEvents,
  listOldEventSeries,
  maintainPartitions,
  type SeriesPosition,
} from './retention.store.ts'

export interface RemovedPayloads {
  /** The number of days whose ended deliveries were removed at once, with their attempts. */
  days: number
  /** The number of ended deliveries that were removed one by one, because their day had no partition. */
  deliveries: number
  /** The number of deliveries that were still waiting for their webhook to be verified. */
  held: number
  events: number
}

export interface RemovalPolicy {
  /** The maximum number of rows removed in one transaction. */
  batch: number
  /** The setting `WEBHOOK_REQUIRE_VERIFICATION`. If it is false, no delivery waits for verification. */
  requireVerification: boolean
  /** Returns true to end the run early. Called between transactions. */
  isStopping(): boolean
}

/**
 * Removes what is older than 30 whole days (UTC): first the ended deliveries with their attempts, one day's partition
 * at a time, then deliveries that have waited for verification since then, and finally events that have no delivery
 * left. Keeps undispatched events and deliveries that can still be sent, however old they are. Also creates the
 * partitions for the next days. A run can be interrupted at any point and repeated. Uses the database's clock.
 */
export async function removeOldPayloads({ db }: { db: Database }, policy: RemovalPolicy): Promise<RemovedPayloads> {
  const { batch, requireVerification } = policy
  const inBatches = async (remove: () => Promise<number>) => {
    let removed = 0
    for (let found = batch; found >= batch && !(removed > 0 && policy.isStopping()); removed += found)
      found = await remove()
    return removed
  }
  const days = await maintainPartitions(db)
  const deliveries = await inBatches(() => deleteOldDeliveries(db, batch))
  const removed: RemovedPayloads = { days, deliveries, held: 0, events: 0 }
  if (requireVerification && !policy.isStopping())
    removed.held = await inBatches(() => inTransaction(db, {}, (tx) => deleteDeliveriesAwaitingVerification(tx, batch)))
  if (!policy.isStopping()) removed.events = await removeOldEvents(db, policy)
  return removed
}

async function removeOldEvents(db: Database, { batch, isStopping }: RemovalPolicy): Promise<number> {
  let removed = 0
  for (const series of await listOldEventSeries(db)) {
    let after: SeriesPosition | undefined
    for (let seen = batch; seen === batch && !isStopping(); ) {
      const step = await deleteOldEvents(db, series, { after, limit: batch })
      seen = step.seen
      after = step.last
      removed += step.deleted
    }
  }
  return removed
}

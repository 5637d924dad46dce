import { type Database, inTransaction } from '../../../db/database.ts'
import {
  countOldDeliveries,
  deleteDeliveriesAwaitingVerification,
  deleteOldDeliveries,
  deleteOldEvents,
  maintainPartitions,
} from './retention.store.ts'

export interface RemovedPayloads {
  /** The number of ended deliveries removed, each with its attempts. */
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
 * Removes what is older than 30 whole days (UTC): first the ended deliveries with their attempts, one day's partition at a time, then
 * deliveries that have waited for verification since then, and finally events that have no delivery left. Keeps undispatched events
 * and deliveries that can still be sent, however old they are. Also creates the partitions for the next days. A run can be interrupted
 * at any point and repeated. Uses the database's clock.
 */
export async function removeOldPayloads({ db }: { db: Database }, policy: RemovalPolicy): Promise<RemovedPayloads> {
  const { batch, requireVerification } = policy
  const inBatches = async (remove: () => Promise<number>) => {
    let removed = 0
    for (let found = batch; found >= batch && !(removed > 0 && policy.isStopping()); removed += found)
      found = await remove()
    return removed
  }
  const before = await countOldDeliveries(db)
  await maintainPartitions(db)
  const inPartitions = before === 0 ? 0 : before - (await countOldDeliveries(db))
  const deliveries = inPartitions + (await inBatches(() => deleteOldDeliveries(db, batch)))
  const removed: RemovedPayloads = { deliveries, held: 0, events: 0 }
  if (requireVerification && !policy.isStopping())
    removed.held = await inBatches(() => inTransaction(db, {}, (tx) => deleteDeliveriesAwaitingVerification(tx, batch)))
  if (!policy.isStopping()) removed.events = await inBatches(() => deleteOldEvents(db, batch))
  return removed
}

import { type Database, inTransaction } from '../../../db/database.ts'
import {
  countOldDeliveries,
  deleteHeldDeliveries,
  deleteOldDeliveries,
  deleteOldEvents,
  maintainPartitions,
} from './retention.store.ts'

export interface RemovedPayloads {
  /** Deliveries that had ended, each with its attempts. */
  deliveries: number
  /** Deliveries that had waited for their webhook's verification until now. */
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
 * Removes what is older than 30 whole days (UTC): deliveries that have ended, with their attempts, a day's partition at a time; those that
 * have waited for their webhook's verification all the time; and then the events of which no delivery is left. Never an event that has yet to
 * be dispatched, nor a delivery that can still be sent, however old. Also makes the partitions of the days to come. A run can be cut
 * off anywhere and simply be repeated. Real time by the database's clock.
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
    removed.held = await inBatches(() => inTransaction(db, {}, (tx) => deleteHeldDeliveries(tx, batch)))
  if (!policy.isStopping()) removed.events = await inBatches(() => deleteOldEvents(db, batch))
  return removed
}

import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import { type LeasedDelivery, leaseDueDeliveries, type SendingLimits } from './leases.store.ts'

/**
 * Leases as many due deliveries as the worker has room for. `sending` is the number it is already sending to each
 * webhook.
 */
export async function leaseDeliveries(
  { db }: { db: Database },
  limits: SendingLimits,
  sending: ReadonlyMap<string, number> = new Map(),
): Promise<LeasedDelivery[]> {
  if (limits.slots <= 0) return []
  return inQueueTransaction(db, (tx) => leaseDueDeliveries(tx, limits, sending))
}

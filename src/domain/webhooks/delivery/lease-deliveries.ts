import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { type LeasedDelivery, leaseDue, type SendingLimits } from './leases.store.ts'

/** Leases what is due, as far as a worker that is `sending` so many to each webhook has room for it. */
export async function leaseDeliveries(
  { db }: { db: Database },
  limits: SendingLimits,
  sending: ReadonlyMap<string, number> = new Map(),
): Promise<LeasedDelivery[]> {
  if (limits.slots <= 0) return []
  return inQueueTransaction(db, (tx) => leaseDue(tx, limits, sending))
}

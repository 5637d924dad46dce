import { type Database, inQueueTransaction } from '../../../db/database.ts'
import { type LeasedDelivery, leaseDue, returnLeases } from './leases.store.ts'
import type { OwnRoom } from './slots.ts'

/** Leases what is due, as far as a worker has room for it. */
export async function leaseDeliveries(
  { db }: { db: Database },
  { room, sending, leaseSeconds, requireVerification }: OwnRoom,
): Promise<LeasedDelivery[]> {
  if (room.slots <= 0) return []
  const request = {
    ...room,
    quick: sending.quick,
    inFlight: sending.byWebhook,
    plentiful: room.readyForQuick / 2,
    leaseSeconds,
    requireVerification,
  }
  return inQueueTransaction(db, 'many', (tx) => leaseDue(tx, request))
}

/** Makes deliveries due again at once that were leased and never begun. */
export async function returnDeliveries({ db }: { db: Database }, leased: readonly LeasedDelivery[]): Promise<void> {
  if (leased.length > 0) await inQueueTransaction(db, 'many', (tx) => returnLeases(tx, leased))
}

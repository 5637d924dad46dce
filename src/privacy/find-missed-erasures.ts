import type { Origin } from '../platform/db/access.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { listMissedErasures } from './erasure.store.ts'
import type { LedgerEntry } from './erasure-ledger.ts'

const origin: Origin = { actor: 'worker', operation: 'findMissedErasures' }

/** The customers whom these entries say were erased but who are not, as after the restore of an older backup. */
export async function findMissedErasures(
  { databases }: { databases: Databases },
  entries: readonly LedgerEntry[],
): Promise<Id<'tenant'>[]> {
  const byPartner = Map.groupBy(entries, ({ partnerId }) => partnerId)
  const missed = await Promise.all(
    [...byPartner].map(([partnerId, ofPartner]) =>
      listMissedErasures(databases.forPartner(partnerId, origin), partnerId, ofPartner),
    ),
  )
  return missed.flat().map(({ customerId }) => customerId)
}

import { type Database, inTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Caller } from '../../auth/caller.ts'
import type { PartnerDirectory } from '../../auth/partner-directory.ts'
import { deleteFaults, deleteSpentFaults, updateFaultsUntil } from './faults.store.ts'

/** DELETE /Sandbox/faults: removes all faults and returns how many had calls left. Takes effect at once in every process, because each call takes its fault from the table. */
export async function clearFaults(
  { db, partners, clock }: { db: Database; partners: PartnerDirectory; clock: Clock },
  caller: Caller,
): Promise<number> {
  const removed = await inTransaction(db, caller, async (tx) => {
    await updateFaultsUntil(tx, caller.partnerId, null)
    await deleteSpentFaults(tx, caller.partnerId, clock.now())
    return deleteFaults(tx, caller.partnerId)
  })
  partners.forget(caller.partnerId)
  return removed
}

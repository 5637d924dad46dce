import { type Database, inTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { Caller } from '../../auth/caller.ts'
import type { PartnerDirectory } from '../../auth/partner-directory.ts'
import { type Fault, faultLifetimeMinutes, maxFaults } from './fault.ts'
import { deleteSpentFaults, insertFault, listFaults, updateFaultsUntil } from './faults.store.ts'

/**
 * POST /Sandbox/faults: makes the partner's next calls of an operation fail or wait. Takes effect at once in this process and within two
 * seconds in others, which then read the partner anew. Throws `validation_failed` if the partner has too many faults.
 */
export async function createFault(
  { db, partners, clock }: { db: Database; partners: PartnerDirectory; clock: Clock },
  caller: Caller,
  given: Omit<Fault, 'expiresAt'>,
): Promise<Fault> {
  const now = clock.now()
  const fault = { ...given, expiresAt: new Date(now.getTime() + faultLifetimeMinutes * 60_000) }
  await inTransaction(db, caller, async (tx) => {
    await updateFaultsUntil(tx, caller.partnerId, fault.expiresAt)
    await deleteSpentFaults(tx, caller.partnerId, now)
    if ((await listFaults(tx, caller.partnerId, now)).length >= maxFaults)
      throw new DomainError(
        'validation_failed',
        `You have ${maxFaults} faults already. Remove them with DELETE /Sandbox/faults.`,
      )
    await insertFault(tx, caller.partnerId, fault)
    return fault
  })
  partners.forget(caller.partnerId)
  return fault
}

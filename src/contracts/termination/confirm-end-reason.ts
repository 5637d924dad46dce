import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type Contract, type EndReason, type EndReasonCheck, isBinding } from '../contract.ts'
import { findActor, updateEndReasonCheck } from '../contracts.store.ts'
import { loadContractToEnd } from './contract-to-end.ts'

/** A contract about whose end somebody answered. */
export interface CheckedEndReason {
  customerId: Id<'tenant'>
  contractNumber: string
  endReason: EndReason
  check: EndReasonCheck
}

/**
 * POST /Customers/{id}/confirm-end-reason (not in the specification): says whether a contract ends early for a
 * true reason, above all one that only its tenant gave. It charges nobody: a no is a task of the operator
 * (`end_doubted`), whose own answer settles it. Throws `contract_not_in_force`, and `nothing_asked` for a contract that
 * ends as agreed.
 */
export function confirmEndReason(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
  isTrue: boolean,
): Promise<CheckedEndReason> {
  return inTransaction(db, caller, async (tx) => {
    const isOrWas = (each: Contract) => isBinding(each) || each.status === 'ended'
    const { contract } = await loadContractToEnd(tx, cipher, caller, customerId, isOrWas)
    if (contract.endedOn === null || contract.endReason === null) throw nothingAsked()
    const { contractNumber, endReason } = contract
    const isOperator = (await findActor(tx)) === 'operator'
    const check = isTrue ? 'confirmed' : isOperator ? 'settled' : 'doubted'
    await updateEndReasonCheck(tx, contract, { check, now: caller.now })
    return { customerId, contractNumber, endReason, check }
  })
}

function nothingAsked(): DomainError {
  const detail = 'The contract ends on the day on which it was agreed to end, so there is no reason to confirm.'
  return new DomainError('nothing_asked', detail)
}

import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Contract } from '../contract.ts'
import { findContract, recordConfirmationSent } from '../contracts.store.ts'
import { loadQuoteOfCustomerForUpdate } from '../load-quote-of-customer.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import { contractNotInForce } from '../termination/contract-to-end.ts'

/**
 * POST /Customers/{id}/contracts/{number}/confirmation-sent (not in the specification): the tenant was sent the
 * confirmation of their contract. The first time counts, so a later report changes nothing. Throws `not_found`,
 * `contract_not_in_force` for a contract that never took effect, and `validation_failed`.
 */
export function reportConfirmationSent(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  { customerId, contractNumber, sentAt }: { customerId: Id<'tenant'>; contractNumber: string; sentAt: Date },
): Promise<Contract> {
  return inTransaction(db, caller, async (tx) => {
    await loadQuoteOfCustomerForUpdate(tx, cipher, caller, customerId)
    const contract = await findContract(tx, caller.partnerId, contractNumber)
    if (contract?.customerId !== customerId) throw unknownContract()
    const { effectiveAt, confirmationSentAt } = contract
    if (effectiveAt === null)
      throw contractNotInForce('The contract has not taken effect, so there is nothing to confirm.')
    requirePossible(sentAt, effectiveAt, caller.now)
    const shown = {
      partnerId: caller.partnerId,
      contractNumbers: [contractNumber],
      change: 'confirmation_sent',
    } as const
    await recordContractChange(tx, shown, (recorded) => recordConfirmationSent(tx, recorded, contract, sentAt))
    const isFirst = confirmationSentAt === null || sentAt < confirmationSentAt
    return { ...contract, confirmationSentAt: isFirst ? sentAt : confirmationSentAt }
  })
}

function unknownContract(): DomainError {
  return new DomainError(
    'not_found',
    'The customer has no contract with this number. GET /Customers/{id}/contracts lists their contracts.',
  )
}

/** Compares whole seconds, because that is all that many senders record. */
function requirePossible(sentAt: Date, effectiveAt: Date, now: Date): void {
  const second = (at: Date) => Math.floor(at.getTime() / 1000)
  if (second(sentAt) >= second(effectiveAt) && sentAt <= now) return
  const detail = `The confirmation can have been sent between ${effectiveAt.toISOString()}, when the contract took effect, and now.`
  throw new DomainError('validation_failed', detail, {
    fields: [{ pointer: '/sentAt', code: 'out_of_range', detail }],
  })
}

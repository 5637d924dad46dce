import type { Caller } from '../../partners/caller.ts'
import { holdCollecting, liftHold } from '../../payments/collecting/holds.store.ts'
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { addWorkingDays, type BankHolidays, divisionOfCountry } from '../../platform/kernel/working-days.ts'
import { isPublicCause } from '../contract.ts'
import { holdDays } from '../household-end/household-end.ts'
import { contractNotInForce, loadContractToEnd } from './contract-to-end.ts'
import { endDateNotAllowed, endsAnyway } from './end-for-cause.ts'
import { type EndRequest, findEndRequest, saveEndRequest } from './end-requests.store.ts'

/** How many working days the operator has to end the contract or to answer. */
const decisionDays = 10

/** The causes for which a tenant can ask the operator, who alone can end a contract for them. No proof is asked for. */
export const causesToAskFor = ['breach_by_us', 'moved_into_care', 'serious_illness', 'left_for_safety'] as const

interface Dependencies {
  db: Database
  cipher: FieldCipher
}

/**
 * A tenant asks the operator on their pages to end their contract: for a cause that is the operator's to give, or on a
 * day longer ago than their own word counts for. Nothing changes until the operator decides, but that of a tenancy that
 * ended, nothing due after its last day is collected meanwhile, for 30 days at most and for the first request only.
 * Nobody else learns of it. Throws `contract_not_in_force` and `end_date_not_allowed`.
 */
export function requestEnd(
  { db, cipher, bankHolidays }: Dependencies & { bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  { cause, lastDay, comment }: Pick<EndRequest, 'cause' | 'lastDay' | 'comment'>,
): Promise<void> {
  const { now, partnerId } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quote, contract } = await loadContractToEnd(tx, cipher, caller, customerId)
    if (contract.status !== 'in_force') throw contractNotInForce()
    const agreedOn = londonDate(contract.agreedAt)
    if (lastDay < agreedOn) throw endDateNotAllowed(`You agreed to the contract on ${agreedOn}. Choose a later day.`)
    if (lastDay >= contract.endsOn) throw endDateNotAllowed(endsAnyway(contract))
    const today = londonDate(now)
    const isFirst = (await findEndRequest(tx, cipher, contract)) === undefined
    const dueOn = addWorkingDays(today, decisionDays, divisionOfCountry(quote.address.country), bankHolidays) as IsoDate
    const { contractNumber } = contract
    const request = { contractNumber, cause, lastDay, comment, answer: null, askedAt: now, dueOn, outcome: null }
    await saveEndRequest(tx, cipher, contract, request)
    // A hold is in the audit log, so there is none for a cause that nobody else may know.
    if (!(isFirst && isPublicCause(cause))) return
    const hold = { cause: 'tenancy_end', dueAfter: lastDay, until: addDays(today, holdDays), now } as const
    await holdCollecting(tx, { partnerId, customerId }, hold)
  })
}

/**
 * POST /operator-api/Customers/{customerId}/answer-end-request: the operator does not end the contract as the tenant
 * asked. They read why on their pages. Throws `nothing_asked`.
 */
export function answerEndRequest(
  { db, cipher }: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  answer: string,
): Promise<{ customerId: Id<'tenant'>; request: EndRequest }> {
  const { now, partnerId } = caller
  return inTransaction(db, caller, async (tx) => {
    const { contract } = await loadContractToEnd(tx, cipher, caller, customerId)
    const asked = await findEndRequest(tx, cipher, contract)
    if (asked?.contractNumber !== contract.contractNumber || asked.outcome === 'ended')
      throw new DomainError('nothing_asked', 'This tenant has not asked to end their contract. Nothing was changed.')
    const request = { ...asked, answer, outcome: 'answered' } as const
    await saveEndRequest(tx, cipher, contract, request)
    if (isPublicCause(asked.cause)) await liftHold(tx, { partnerId, customerId }, { cause: 'tenancy_end', now })
    return { customerId, request }
  })
}

/** GET /operator-api/Customers/{customerId}/end-request: what the tenant asked last about their contract, or null. */
export async function readEndRequest(
  { db, cipher }: { db: Queryable; cipher: FieldCipher },
  { partnerId }: Pick<Caller, 'partnerId'>,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; request: EndRequest | null }> {
  return { customerId, request: (await findEndRequest(db, cipher, { partnerId, customerId })) ?? null }
}

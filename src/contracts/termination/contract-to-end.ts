import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Customer } from '../../quoting/tenants/customer.ts'
import { type Contract, isBinding } from '../contract.ts'
import { findContract } from '../contracts.store.ts'
import { loadCustomerWithQuoteForUpdate } from '../load-quote-of-customer.ts'

/** What was said about the end of a contract. */
export interface EndingNotice {
  /** In the words of whoever reports it. */
  comment?: string | undefined
  /** The day on which the tenant sent their message or gave notice; `informedOn` if absent. */
  sentOn?: IsoDate | undefined
  /** The day on which it arrived; today if absent. */
  informedOn?: IsoDate | undefined
}

/** A notice with both of its days. */
export interface DatedNotice extends EndingNotice {
  /** Decides whether the notice is in time, and from when it runs (CCR 2013, reg. 32). */
  sentOn: IsoDate
  /** The days for a refund and, with early supply, the days supplied are counted by it (CCR 2013, regs. 34 and 36). */
  informedOn: IsoDate
}

/** A contract that is to be cancelled or ended, under its quote's row lock. */
export interface ContractToEnd {
  quote: Quote
  customer: Customer
  contract: Contract
}

/**
 * Loads the customer's contract, which binds them or that `isAllowed` accepts all the same, and locks its quote. Throws
 * `contract_not_in_force`.
 */
export async function loadContractToEnd(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  customerId: Id<'tenant'>,
  isAllowed: (contract: Contract) => boolean = isBinding,
): Promise<ContractToEnd> {
  const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
  const contract =
    customer.contractNumber === null ? undefined : await findContract(tx, caller.partnerId, customer.contractNumber)
  if (contract === undefined || !isAllowed(contract)) throw contractNotInForce()
  return { quote, customer, contract }
}

export function contractNotInForce(
  detail = 'The customer has no contract that could be cancelled or ended. GET /Customers/{id}/contracts shows what became of their contracts.',
): DomainError {
  return new DomainError('contract_not_in_force', detail)
}

/**
 * Gives a notice both of its days. Throws `validation_failed` if it was sent before the agreement, arrived before it
 * was sent, or is to arrive after today.
 */
export function dateNotice(notice: EndingNotice, { agreedAt }: Contract, now: Date): DatedNotice {
  const [first, today] = [londonDate(agreedAt), londonDate(now)]
  const informedOn = notice.informedOn ?? today
  const sentOn = notice.sentOn ?? informedOn
  const outOfRange = (pointer: string, detail: string) => ({ pointer, code: 'out_of_range', detail })
  const fields: FieldError[] = []
  if (sentOn < first)
    fields.push(
      outOfRange(
        notice.sentOn === undefined ? '/informedOn' : '/sentOn',
        `The tenant can have given notice on ${first}, when they accepted, at the earliest.`,
      ),
    )
  if (notice.sentOn !== undefined && sentOn > today)
    fields.push(outOfRange('/sentOn', `Must not be after today (${today}).`))
  if (informedOn > today) fields.push(outOfRange('/informedOn', `Must not be after today (${today}).`))
  else if (informedOn < sentOn && sentOn <= today)
    fields.push(outOfRange('/informedOn', `Must not be before sentOn (${sentOn}).`))
  if (fields.length === 0) return { ...notice, sentOn, informedOn }
  throw invalidFields(fields)
}

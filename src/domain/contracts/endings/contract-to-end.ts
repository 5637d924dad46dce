import type { Tx } from '../../../db/database.ts'
import { type IsoDate, londonDate } from '../../../kernel/dates.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Customer } from '../../customers/customer.ts'
import { loadCustomer } from '../../customers/load-customer.ts'
import { loadAndLockQuoteOfCustomer } from '../../quotes/load-quote.ts'
import type { Quote } from '../../quotes/quote.ts'
import { type Contract, isBinding } from '../contract.ts'
import { findContract } from '../contracts.store.ts'

/** A contract that is to be cancelled or ended, under its quote's lock. */
export interface ContractToEnd {
  quote: Quote
  customer: Customer
  contract: Contract
}

/** Loads the customer's contract, which binds them, and locks its quote. Throws `contract_not_in_force`. */
export async function loadContractToEnd(
  tx: Tx,
  cipher: FieldCipher,
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<ContractToEnd> {
  const quote = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
  const customer = await loadCustomer(tx, cipher, caller, customerId)
  const contract =
    customer.contractNumber === null ? undefined : await findContract(tx, caller.partnerId, customer.contractNumber)
  if (contract === undefined || !isBinding(contract)) throw contractNotInForce()
  return { quote, customer, contract }
}

export function contractNotInForce(
  detail = 'The customer has no contract that could be cancelled or ended. GET /Customers/{id}/contracts shows what became of their contracts.',
): DomainError {
  return new DomainError('contract_not_in_force', detail)
}

/** The day on which the tenant gave notice: today by default. Throws `validation_failed` for a day before the agreement or after today. */
export function dayOfNotice(informedOn: IsoDate | undefined, { agreedAt }: Contract, now: Date): IsoDate {
  const [first, today] = [londonDate(agreedAt), londonDate(now)]
  if (informedOn === undefined) return today
  if (informedOn >= first && informedOn <= today) return informedOn
  throw new DomainError('validation_failed', 'The day of the notice is invalid. Correct the field listed in errors.', {
    fields: [
      {
        pointer: '/informedOn',
        code: 'out_of_range',
        detail: `The tenant can have given notice between ${first}, when they accepted, and today (${today}).`,
      },
    ],
  })
}

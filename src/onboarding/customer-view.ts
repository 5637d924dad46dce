import { type Contract, contractsAsOf } from '../contracts/contract.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import { findCardInUse } from '../payments/setup-intents/setup-intents.store.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { Customer } from '../quoting/tenants/customer.ts'

/** A customer, and what else a response about one shows. */
export interface CustomerView {
  customer: Customer
  quote: Quote
  card: CardDetails | null
  /** The contract that the customer agreed to last; null if there was none. */
  contract: Contract | null
}

/** What a response about a customer shows besides the customer and the quote, as it is stored. */
export interface ShownWithCustomer {
  contracts: Contract[]
  card: CardDetails | null
}

export async function findShownWithCustomer(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, customerId }: Pick<Customer, 'partnerId' | 'customerId'>,
): Promise<ShownWithCustomer> {
  const [contracts, card] = await Promise.all([
    listContracts(db, partnerId, customerId),
    findCardInUse(db, cipher, partnerId, customerId),
  ])
  return { contracts, card }
}

/** What a response about this customer shows. */
export function viewOf(customer: Customer, quote: Quote, { contracts, card }: ShownWithCustomer): CustomerView {
  return { customer, quote, card, contract: contractsAsOf(contracts, quote)[0] ?? null }
}

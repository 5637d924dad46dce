import { type Contract, contractsAsOf } from '../contracts/contract.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { loadCustomerWithQuote } from '../contracts/load-quote-of-customer.ts'
import type { Caller } from '../partners/caller.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import { findCardInUse } from '../payments/setup-intents/setup-intents.store.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
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

/** Spec: GET /Customers/{id}. Returns the customer and what a response about them shows. */
export async function getCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<CustomerView> {
  const { partnerId } = caller
  const [contracts, { customer, quote }, card] = await Promise.all([
    listContracts(db, partnerId, customerId),
    loadCustomerWithQuote(db, cipher, caller, customerId),
    findCardInUse(db, cipher, partnerId, customerId),
  ])
  return { customer, quote, card, contract: contractsAsOf(contracts, quote)[0] ?? null }
}

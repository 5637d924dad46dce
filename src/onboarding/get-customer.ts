import { type Contract, contractsAsOf } from '../contracts/contract.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { loadQuoteOfCustomer } from '../contracts/lock-quote.ts'
import type { Caller } from '../partners/caller.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import { findCardInUse } from '../payments/setup-intents/setup-intents.store.ts'
import type { Database, Queryable } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { Customer } from '../quoting/tenants/customer.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'

/** Spec: GET /Customers/{id}. Returns the customer and what a response about them shows. */
export async function getCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<CustomerView> {
  const [customer, quote, shown] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    findContractsAndCard(db, cipher, { partnerId: caller.partnerId, customerId }),
  ])
  return viewOf(customer, quote, shown)
}

/** A customer, and what else a response about one shows. */
export interface CustomerView {
  customer: Customer
  quote: Quote
  card: CardDetails | null
  /** The contract that the customer agreed to last; null if there was none. */
  contract: Contract | null
}

/** What a response about a customer shows besides the customer and the quote, as it is stored. */
interface ContractsAndCard {
  contracts: Contract[]
  card: CardDetails | null
}

export async function findContractsAndCard(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, customerId }: Pick<Customer, 'partnerId' | 'customerId'>,
): Promise<ContractsAndCard> {
  const [contracts, card] = await Promise.all([
    listContracts(db, partnerId, customerId),
    findCardInUse(db, cipher, partnerId, customerId),
  ])
  return { contracts, card }
}

/** What a response about this customer shows. */
export function viewOf(customer: Customer, quote: Quote, { contracts, card }: ContractsAndCard): CustomerView {
  return { customer, quote, card, contract: contractsAsOf(contracts, quote)[0] ?? null }
}

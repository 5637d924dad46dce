import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import type { CardDetails } from '../payments/payment-processor.ts'
import { findCardInUse } from '../payments/setup-intents.store.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import type { Customer } from './customer.ts'
import { loadCustomer } from './load-customer.ts'

/** A customer, and what else a response about one shows. */
export interface CustomerView {
  customer: Customer
  quote: Quote
  card: CardDetails | null
}

/** Spec: GET /Customers/{id}. Returns the customer and their quote. */
export async function getCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<CustomerView> {
  const [customer, quote, card] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    findCardInUse(db, cipher, caller.partnerId, customerId),
  ])
  return { customer, quote, card }
}

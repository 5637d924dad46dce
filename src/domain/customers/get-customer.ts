import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { loadQuoteOfCustomer } from '../contracts/load-quote.ts'
import { type CustomerView, findShownWithCustomer, viewOf } from './customer-view.ts'
import { loadCustomer } from './load-customer.ts'

/** Spec: GET /Customers/{id}. Returns the customer and what a response about them shows. */
export async function getCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<CustomerView> {
  const [customer, quote, shown] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    findShownWithCustomer(db, cipher, { partnerId: caller.partnerId, customerId }),
  ])
  return viewOf(customer, quote, shown)
}

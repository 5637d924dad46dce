import { loadQuoteOfCustomer } from '../contracts/load-quote.ts'
import type { Caller } from '../partners/caller.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { loadCustomer } from '../quoting/tenants/load-customer.ts'
import { type CustomerView, findShownWithCustomer, viewOf } from './customer-view.ts'

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

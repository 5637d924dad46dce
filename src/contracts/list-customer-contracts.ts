import type { Caller } from '../partners/caller.ts'
import type { Database } from '../platform/db/database.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { type Contract, contractsAsOf } from './contract.ts'
import { listContracts } from './contracts.store.ts'
import { loadQuoteOfCustomer } from './load-quote-of-customer.ts'

/**
 * GET /Customers/{id}/contracts (not in the specification): every contract that the customer ever agreed to, the latest
 * first.
 */
export async function listCustomerContracts(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; contracts: Contract[] }> {
  const [quote, contracts] = await Promise.all([
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    listContracts(db, caller.partnerId, customerId),
  ])
  return { customerId, contracts: contractsAsOf(contracts, quote) }
}

import type { Database } from '../../db/database.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { type Contract, contractsAsOf } from '../contracts/contract.ts'
import { listContracts } from '../contracts/contracts.store.ts'
import { loadQuoteOfCustomer } from '../quotes/load-quote.ts'
import type { Quote } from '../quotes/quote.ts'
import type { Customer } from './customer.ts'
import { loadCustomer } from './load-customer.ts'

/** Spec: GET /Customers/{id}. Returns the customer, their quote and the contract that they agreed to last. */
export async function getCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customer: Customer; quote: Quote; contract: Contract | null }> {
  const [customer, quote, contracts] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
    listContracts(db, caller.partnerId, customerId),
  ])
  return { customer, quote, contract: contractsAsOf(contracts, quote)[0] ?? null }
}

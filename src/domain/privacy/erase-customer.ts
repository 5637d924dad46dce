import { type Database, inTransaction } from '../../db/database.ts'
import type { IsoDate } from '../../kernel/dates.ts'
import { londonDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { listErasedCustomers } from '../customers/customers.store.ts'
import { loadLockedQuoteOfCustomer } from '../quotes/load-quote.ts'
import { findErasure } from './erasure.store.ts'
import { forgetCustomers } from './forget-customer.ts'
import { removeReference } from './remove-reference.ts'
import { isContractRunning } from './retention.ts'

export interface ErasedCustomer {
  customerId: Id<'tenant'>
  erasedAt: Date
  /** Until when what the law needs of a contract stays; null where nothing does. */
  retainedUntil: IsoDate | null
}

/**
 * POST /Customers/{id}/erase (additive) and `housebill customers erase`. Everything about the person goes, here at once and at
 * the processor as soon as it can be reached (`ask-deletions.ts`), but for what the law needs of a contract. Repeating it
 * answers the same moment. Throws `contract_running`; with `force`, the operator's word, it does not.
 */
export async function eraseCustomer(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
  { force = false }: { force?: boolean } = {},
): Promise<ErasedCustomer> {
  const { quoteId, ...erased } = await inTransaction(db, caller, async (tx) => {
    const quote = await loadLockedQuoteOfCustomer(tx, cipher, caller, customerId)
    const { quoteId, contractEndDate } = quote
    const before = await findErasure(tx, caller.partnerId, customerId)
    if (before !== undefined) return { quoteId, customerId, ...before }
    const status = quote.tenants.find(({ tenantId }) => tenantId === customerId)?.status ?? 'active'
    if (!force && isContractRunning({ status, contractEndDate }, londonDate(caller.now))) {
      throw new DomainError(
        'contract_running',
        `This customer's contract runs until ${contractEndDate}. Erase the customer after that day, or ask the operator.`,
      )
    }
    const alreadyErased = await listErasedCustomers(tx, caller.partnerId, quoteId)
    const [erased] = await forgetCustomers(tx, cipher, quote, {
      customerIds: [customerId],
      alreadyErased,
      now: caller.now,
    })
    if (erased === undefined) throw new Error('a customer is a tenant of their quote')
    return { quoteId, customerId, erasedAt: erased.erasedAt, retainedUntil: erased.retainedUntil }
  })
  await removeReference(db, caller.partnerId, quoteId)
  return erased
}

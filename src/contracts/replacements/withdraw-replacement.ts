import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { deleteCustomers, findOpenReplacement } from '../../quoting/tenants/customers.store.ts'
import { loadAndLockQuoteOfCustomer } from '../load-quote.ts'

/**
 * POST /Customers/{id}/withdraw-replacement (not in the specification). Removes the tenant who was to take over this
 * customer's share, with their data. Possible until they accept; then they can cancel their own contract. Throws
 * `replacement_not_possible` if there is none.
 */
export async function withdrawReplacement(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; withdrawn: Id<'tenant'> }> {
  return inTransaction(db, caller, async (tx) => {
    const { quoteId } = await loadAndLockQuoteOfCustomer(tx, cipher, caller, customerId)
    const withdrawn = await findOpenReplacement(tx, caller.partnerId, customerId)
    if (withdrawn === undefined) throw noneOpen()
    await deleteCustomers(tx, caller.partnerId, quoteId, [withdrawn], caller.now)
    return { customerId, withdrawn }
  })
}

function noneOpen(): DomainError {
  return new DomainError(
    'replacement_not_possible',
    'Nobody is waiting to take over this share. If the tenant who takes over has accepted, they can cancel their contract with POST /Customers/{id}/cancel-contract.',
  )
}

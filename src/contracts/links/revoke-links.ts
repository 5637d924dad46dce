import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import { revokeLinksOf } from '../contract-documents.store.ts'

/**
 * POST /Customers/{id}/revoke-links (not in the specification): from now on, no link that was made before opens a
 * document or a preview of this customer. New links work.
 */
export function revokeLinks(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; revokedAt: Date }> {
  return inTransaction(db, caller, async (tx) => {
    await loadCustomer(tx, cipher, caller, customerId)
    await revokeLinksOf(tx, caller.partnerId, customerId)
    return { customerId, revokedAt: caller.now }
  })
}

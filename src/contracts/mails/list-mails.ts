import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { loadCustomer } from '../../quoting/tenants/load-customer.ts'
import { type ListedTenantMail, listTenantMails } from './tenant-mails.store.ts'

/** The most e-mails of a list. If there are more, the latest are listed. */
export const maxListedMails = 1_000

/**
 * GET /Customers/{id}/emails (not in the specification): the e-mails to a customer, the latest first, and what became
 * of each. Their words are not part of it.
 */
export async function listMails(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; emails: ListedTenantMail[] }> {
  await loadCustomer(db, cipher, caller, customerId)
  return { customerId, emails: await listTenantMails(db, caller.partnerId, customerId, maxListedMails) }
}

import { recordOperatorRead } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction, type Queryable } from '../../platform/db/database.ts'
import { emailHashes } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { phoneHashes } from '../../platform/kernel/phone.ts'
import { openReference, referenceHashes } from '../../quoting/quotes/reference.ts'
import type { PersonalDetails } from '../../quoting/tenants/customer.ts'
import { decryptPersonal } from '../../quoting/tenants/customers.store.ts'
import { type CustomerKeys, type FoundRow, listFoundCustomers, listPartnerIds } from './found-customers.store.ts'

/** What the operator knows of somebody. Everything that is given must match. */
export interface CustomerSearch {
  email?: string | undefined
  /** In E.164 format. */
  phone?: string | undefined
  /** Normalised, such as `SW7 2AZ`. */
  postCode?: string | undefined
  /** The partner's own reference of the quote. */
  reference?: string | undefined
  branch?: string | undefined
  contractNumber?: string | undefined
  quoteId?: string | undefined
}

/** A customer of any partner. */
export interface FoundCustomer extends Omit<FoundRow, 'personalEncrypted' | 'referenceEncrypted'> {
  personal: PersonalDetails
  reference: string | null
}

/**
 * GET /operator-api/Customers: customers of all partners, the latest first, also removed and erased ones; erased ones
 * are found by what is not personal only. Writes one audit entry for each partner on the page.
 */
export function findCustomers(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  search: CustomerSearch,
  { after, limit }: { after?: Id<'tenant'> | undefined; limit: number },
): Promise<{ customers: FoundCustomer[]; hasMore: boolean }> {
  return inTransaction(db, {}, async (tx) => {
    const found = await listFoundCustomers(tx, await keysOf(tx, cipher, search), { after, limit: limit + 1 })
    const rows = found.slice(0, limit)
    await recordOperatorRead(tx, 'customer', rows, ({ customerId }) => customerId)
    const customers = rows.map(({ personalEncrypted, referenceEncrypted, ...row }) => ({
      ...row,
      personal: decryptPersonal(cipher, { customerId: row.customerId, personalEncrypted }),
      reference: openReference(cipher, row.quoteId, referenceEncrypted),
    }))
    return { customers, hasMore: found.length > limit }
  })
}

async function keysOf(
  system: Queryable,
  cipher: FieldCipher,
  { email, phone, postCode, reference, branch, contractNumber, quoteId }: CustomerSearch,
): Promise<CustomerKeys> {
  const partnerIds = reference === undefined ? [] : await listPartnerIds(system)
  return {
    emailHashes: email === undefined ? undefined : emailHashes(cipher, email),
    phoneHashes: phone === undefined ? undefined : phoneHashes(cipher, phone),
    postCode,
    branch,
    references:
      reference === undefined
        ? undefined
        : partnerIds.flatMap((partnerId) =>
            referenceHashes(cipher, partnerId, reference).map((hash) => ({ partnerId, hash })),
          ),
    contractNumber,
    quoteId,
  }
}

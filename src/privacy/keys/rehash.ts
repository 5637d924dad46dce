import { listPartners } from '../../partners/partners.store.ts'
import { openDetails } from '../../people/people.store.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { emailHash } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { phoneHash } from '../../platform/kernel/phone.ts'
import type { Rewriting } from '../../platform/keys/rewrite.ts'
import { openReference, referenceHash } from '../../quoting/quotes/reference.ts'
import { decryptPersonal } from '../../quoting/tenants/customers.store.ts'
import { countStaleRows, type HashedTable, listStaleRows, replaceHashes } from './hashes.store.ts'

interface HashedRow {
  partnerId: string
  id: string
  encrypted: string
}

const batch = 100

/** Makes the hashes of a row again, in the order of the store. */
const hashesOf: Readonly<Record<HashedTable, (cipher: FieldCipher, row: HashedRow) => string[]>> = {
  customers(cipher, { id, encrypted }) {
    const { email, phone } = decryptPersonal(cipher, { customerId: id, personalEncrypted: encrypted })
    return [emailHash(cipher, email), phoneHash(cipher, phone)]
  },
  people(cipher, { id, encrypted }) {
    const { email, subject } = openDetails(cipher, id, encrypted)
    return [emailHash(cipher, email ?? ''), subject === null ? '' : cipher.hash(subject)]
  },
  quotes: (cipher, { partnerId, id, encrypted }) => [
    referenceHash(cipher, partnerId, openReference(cipher, id, encrypted)),
  ],
}

/** The hashes of each table and partner that were not made with the key that has this id. */
export async function listRehashes(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
): Promise<Rewriting[]> {
  const partners = await listPartners(databases.system)
  const rehashOf = (table: HashedTable, column: string) =>
    partners.map(({ partnerId }): Rewriting => {
      const db = databases.forPartner(partnerId)
      return {
        column,
        count: () => countStaleRows(db, table, partnerId, keyId),
        async rewriteAfter(after) {
          const stale = await listStaleRows(db, table, partnerId, { keyId, after, limit: batch })
          const last = stale.at(-1)
          if (last === undefined) return undefined
          const changes = stale.map(({ id, encrypted }) => ({
            id,
            before: encrypted,
            hashes: hashesOf[table](cipher, { partnerId, id, encrypted }),
          }))
          return { found: stale.length, replaced: await replaceHashes(db, table, partnerId, changes), last: last.id }
        },
      }
    })
  return [
    ...rehashOf('customers', 'customers.email_hash'),
    ...rehashOf('people', 'people.email_hash'),
    ...rehashOf('quotes', 'quotes.reference_hash'),
  ]
}

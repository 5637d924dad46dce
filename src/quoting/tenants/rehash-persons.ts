import { listPartners } from '../../partners/partners.store.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { emailHash } from '../../platform/kernel/email.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { phoneHash } from '../../platform/kernel/phone.ts'
import type { Rewriting } from '../../platform/keys/rewrite.ts'
import { countStaleHashes, listStaleHashes, replaceHashes } from './person-hashes.store.ts'

const batch = 100

/** For each partner, the hashes of customers of which one was not made with the key that has this id. */
export async function listPersonRehashes(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
): Promise<Rewriting[]> {
  return (await listPartners(databases.system)).map(({ partnerId }) => {
    const db = databases.forPartner(partnerId)
    return {
      column: 'customers.email_hash',
      count: () => countStaleHashes(db, partnerId, keyId),
      async rewriteAfter(after) {
        const stale = await listStaleHashes(db, cipher, partnerId, { keyId, after, limit: batch })
        const last = stale.at(-1)
        if (last === undefined) return undefined
        const changes = stale.map(({ customerId, personal, personalEncrypted: before }) => ({
          customerId,
          before,
          email: emailHash(cipher, personal.email),
          phone: phoneHash(cipher, personal.phone),
        }))
        return { found: stale.length, replaced: await replaceHashes(db, partnerId, changes), last: last.customerId }
      },
    }
  })
}

import type { Databases } from '../../db/databases.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { listPartners } from '../auth/partners.store.ts'
import { emailHash } from './email.ts'
import { countStaleHashes, listStaleHashes, replaceHashes } from './person-hashes.store.ts'
import { phoneHash } from './phone.ts'

const batch = 100

/**
 * Makes the hashes of every customer again of which one is not of the current key, whose id is `keyId`. Servers can keep running, and it can be stopped and
 * started again at any time. Returns how many such customers it found, and of how many it replaced the hashes: fewer if a customer changed meanwhile.
 */
export async function rehashPersons(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
  onProgress: (done: number, total: number) => void,
): Promise<{ found: number; replaced: number }> {
  let found = 0
  let replaced = 0
  let total = 0
  const partners = await listPartners(databases.system)
  for (const { partnerId } of partners)
    total += await countStaleHashes(databases.forPartner(partnerId), partnerId, keyId)
  for (const { partnerId } of partners) {
    const db = databases.forPartner(partnerId)
    for (let after = ''; ; ) {
      const stale = await listStaleHashes(db, cipher, partnerId, { keyId, after, limit: batch })
      const last = stale.at(-1)
      if (last === undefined) break
      found += stale.length
      after = last.customerId
      const changes = stale.map(({ customerId, personal, personalEncrypted: before }) => ({
        customerId,
        before,
        email: emailHash(cipher, personal.email),
        phone: phoneHash(cipher, personal.phone),
      }))
      replaced += await replaceHashes(db, partnerId, changes)
      onProgress(replaced, total)
    }
  }
  return { found, replaced }
}

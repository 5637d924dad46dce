import type { Databases } from '../../../db/databases.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { listPartners } from '../../auth/partners.store.ts'
import { openReference, referenceHash } from './reference.ts'
import { countStaleReferences, listStaleReferences, replaceReferenceHashes } from './reference-hashes.store.ts'

const batch = 100

/**
 * Makes every hash of a reference that is not of the current key, whose id is `keyId`, again. Servers can keep running, and it can be
 * stopped and started again at any time. Returns how many such hashes it found and replaced: fewer if a reference changed meanwhile.
 */
export async function rehashReferences(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
  onProgress: (done: number, total: number) => void,
): Promise<{ found: number; replaced: number }> {
  let found = 0
  let replaced = 0
  let total = 0
  const partners = await listPartners(databases.system)
  for (const { partnerId } of partners)
    total += await countStaleReferences(databases.forPartner(partnerId), partnerId, keyId)
  for (const { partnerId } of partners) {
    const db = databases.forPartner(partnerId)
    for (let after = ''; ; ) {
      const stale = await listStaleReferences(db, partnerId, { keyId, after, limit: batch })
      const last = stale.at(-1)
      if (last === undefined) break
      found += stale.length
      after = last.quoteId
      const changes = stale.map(({ quoteId, encrypted, hash: before }) => ({
        quoteId,
        before,
        after: referenceHash(cipher, partnerId, openReference(cipher, quoteId, encrypted)),
      }))
      replaced += await replaceReferenceHashes(db, partnerId, changes)
      onProgress(replaced, total)
    }
  }
  return { found, replaced }
}

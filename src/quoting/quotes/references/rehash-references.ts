import { listPartners } from '../../../partners/partners.store.ts'
import type { Databases } from '../../../platform/db/databases.ts'
import type { FieldCipher } from '../../../platform/kernel/field-encryption.ts'
import type { Rewriting } from '../../../platform/keys/rewrite.ts'
import { openReference, referenceHash } from './reference.ts'
import { countStaleReferences, listStaleReferences, replaceReferenceHashes } from './reference-hashes.store.ts'

const batch = 100

/** For each partner, the hashes of references that were not made with the key that has this id. */
export async function listReferenceRehashes(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
): Promise<Rewriting[]> {
  return (await listPartners(databases.system)).map(({ partnerId }) => {
    const db = databases.forPartner(partnerId)
    return {
      column: 'quotes.reference_hash',
      count: () => countStaleReferences(db, partnerId, keyId),
      async rewriteAfter(after) {
        const stale = await listStaleReferences(db, partnerId, { keyId, after, limit: batch })
        const last = stale.at(-1)
        if (last === undefined) return undefined
        const changes = stale.map(({ quoteId, encrypted, hash: before }) => ({
          quoteId,
          before,
          after: referenceHash(cipher, partnerId, openReference(cipher, quoteId, encrypted)),
        }))
        const replaced = await replaceReferenceHashes(db, partnerId, changes)
        return { found: stale.length, replaced, last: last.quoteId }
      },
    }
  })
}

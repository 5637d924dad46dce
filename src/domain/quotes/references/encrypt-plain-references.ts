import type { Origin } from '../../../db/access.ts'
import { inTransaction } from '../../../db/database.ts'
import type { Databases } from '../../../db/databases.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { findPartnerWithPlainReferences, storeReferences, takePlainReferences } from './plain-references.store.ts'
import { sealReference } from './reference.ts'

const origin: Origin = { actor: 'worker', operation: 'encryptReferences' }
const batch = 500

/**
 * Encrypts the references of quotes that an earlier version stored in plain text. Call it before anything reads quotes. Several processes
 * can run it at once, and it can be stopped and started again at any time. Calls `loadCipher` only if there is something to encrypt.
 */
export async function encryptPlainReferences(
  databases: Databases,
  loadCipher: () => Promise<FieldCipher>,
): Promise<void> {
  let cipher: FieldCipher | undefined
  for (;;) {
    const partnerId = await findPartnerWithPlainReferences(databases.system)
    if (partnerId === undefined) return
    cipher ??= await loadCipher()
    const sealing = cipher
    await inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
      const taken = await takePlainReferences(tx, partnerId, batch)
      const sealed = taken.map((each) => ({
        quoteId: each.quoteId,
        ...sealReference(sealing, { partnerId, ...each }),
      }))
      await storeReferences(tx, partnerId, sealed)
    })
  }
}

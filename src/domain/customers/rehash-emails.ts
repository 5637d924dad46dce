import type { Databases } from '../../db/databases.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { listPartners } from '../auth/partners.store.ts'
import { emailHash } from './email.ts'
import { listStaleEmailHashes, replaceEmailHashes } from './email-hashes.store.ts'

const batch = 100

/**
 * Makes every e-mail hash that is not of the current key, whose id is `keyId`, again. Servers can keep running, and it can be stopped and
 * started again at any time. Returns how many hashes it replaced.
 */
export async function rehashEmails(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  keyId: string,
  onProgress: (done: number) => void,
): Promise<number> {
  let done = 0
  for (const { partnerId } of await listPartners(databases.system)) {
    const db = databases.forPartner(partnerId)
    for (let after = ''; ; ) {
      const stale = await listStaleEmailHashes(db, cipher, partnerId, { keyId, after, limit: batch })
      const last = stale.at(-1)
      if (last === undefined) break
      after = last.customerId
      const changes = stale.map(({ customerId, email, emailHash: before }) => ({
        customerId,
        before,
        after: emailHash(cipher, email),
      }))
      done += await replaceEmailHashes(db, partnerId, changes)
      onProgress(done)
    }
  }
  return done
}

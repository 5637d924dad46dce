import { listPartners } from '../../partners/partners.store.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { countOlderRequestHashes } from '../../platform/idempotency/idempotency.store.ts'
import { deleteKeys, listKeys, lockSettings } from '../../platform/keys/key-ring.store.ts'
import { countOlderRefusals } from './hashes.store.ts'

/**
 * Ends the keys of hashes that are older than this one, once every hash of people and references is made again. Hashes
 * of requests cannot be made again, because the requests are not stored: unless it is compromised, their key stays
 * until they expire. Nor can refusals of e-mails by addresses that no customer has any more: unless it is compromised,
 * their key stays as long as they do. Returns whether the keys ended.
 */
export async function endHashKeys(
  { databases }: { databases: Databases },
  keyId: string,
  { isCompromised }: { isCompromised: boolean },
): Promise<boolean> {
  let needed = 0
  for (const { partnerId } of await listPartners(databases.system)) {
    const db = databases.forPartner(partnerId)
    needed += await countOlderRequestHashes(db, partnerId, keyId)
    needed += await countOlderRefusals(db, partnerId, keyId)
  }
  if (needed > 0 && !isCompromised) return false
  await inTransaction(databases.system, {}, async (tx) => {
    await lockSettings(tx)
    const ids = (await listKeys(tx, 'hashes')).map((each) => each.keyId)
    if (ids.includes(keyId)) await deleteKeys(tx, 'hashes', ids.slice(ids.indexOf(keyId) + 1))
  })
  return true
}

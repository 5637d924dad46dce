import { type Database, inTransaction } from '../db/database.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { countRunningServers, deleteKeys, listKeys, lockSettings } from './key-ring.store.ts'
import { isUseful, type KeyKind, makeKey } from './key-ring.ts'

/**
 * `housebill keys replace`: puts a new key first, which every server uses from its next start. Earlier keys stay as long
 * as they are of use; with `isCompromised`, only those whose hashes rows keep. Returns `false`, and changes nothing,
 * while a server runs: one would use a key that another does not know.
 */
export function replaceKey(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  kind: KeyKind,
  { isCompromised }: { isCompromised: boolean },
): Promise<boolean> {
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    if ((await countRunningServers(tx)) > 0) return false
    const before = await listKeys(tx, kind.name)
    const keyId = await makeKey({ db: tx, cipher }, kind, { isFirst: before.length === 0 })
    const ends = isCompromised && kind.usefulForSeconds < Number.POSITIVE_INFINITY
    const earlier = (await listKeys(tx, kind.name)).filter((each) => each.keyId !== keyId)
    const ended = earlier.filter((each) => ends || !isUseful(each, kind))
    await deleteKeys(
      tx,
      kind.name,
      ended.map((each) => each.keyId),
    )
    return true
  })
}

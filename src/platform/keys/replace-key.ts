import { type Database, inTransaction, type Queryable } from '../db/database.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { deleteKeys, listKeys, lockSettings } from './key-ring.store.ts'
import { isUseful, type KeyKind, makeKey } from './key-ring.ts'

/**
 * Puts a new key first. With `isCompromised`, earlier keys end at once, unless rows keep what they made (`endHashKeys`
 * ends those). A replacement of such a key that is not finished continues with the key it made, unless that may have
 * leaked too.
 */
export function replaceKey(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  kind: KeyKind,
  { isCompromised }: { isCompromised: boolean },
): Promise<{ keyId: string; resumed: boolean }> {
  const isRewritten = kind.usefulForSeconds === Number.POSITIVE_INFINITY
  return inTransaction(db, {}, async (tx) => {
    await lockSettings(tx)
    const before = await listKeys(tx, kind.name)
    const [newest] = before
    if (newest !== undefined && before.length > 1 && isRewritten && !isCompromised)
      return { keyId: newest.keyId, resumed: true }
    const keyId = await makeKey({ db: tx, cipher }, kind, { isFirst: newest === undefined })
    const earlier = (await listKeys(tx, kind.name)).filter((each) => each.keyId !== keyId)
    const ended = isCompromised && !isRewritten ? earlier : earlier.filter((each) => !isUseful(each, kind))
    const ids = ended.map((each) => each.keyId)
    await deleteKeys(tx, kind.name, ids)
    return { keyId, resumed: false }
  })
}

/** How old the key is, by PostgreSQL's clock; `Infinity` if it has ended. */
export async function readKeyAge({ db }: { db: Queryable }, kind: KeyKind, keyId: string): Promise<number> {
  const key = (await listKeys(db, kind.name)).find((each) => each.keyId === keyId)
  return key?.ageSeconds ?? Number.POSITIVE_INFINITY
}

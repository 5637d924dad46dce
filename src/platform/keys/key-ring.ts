import { randomBytes } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { refreshed } from '../kernel/refreshed.ts'
import { insertKey, listKeys, type RingKind, type StoredKey } from './key-ring.store.ts'

/** A key as its users need it. */
export interface RingKey {
  id: string
  secret: Buffer
}

/** A kind of key that can be replaced while servers run. */
export interface KeyKind {
  name: RingKind
  make(): Promise<string | Buffer>
  /**
   * How long what a key made is of use, at most: after its replacement it verifies for this long. `Infinity` if rows
   * keep what it made: it is needed until all of them are rewritten.
   */
  usefulForSeconds: number
  /**
   * A key makes nothing until it is this old: longer than any server takes to verify and find what it makes. Each
   * server reads the keys at most two seconds late.
   */
  settleSeconds: number
}

export interface RingDependencies {
  db: Queryable
  cipher: Pick<FieldCipher, 'encrypt' | 'decrypt'>
}

/** The last use of a replaced key is this much later than its replacement, at most. */
const marginSeconds = 60

/**
 * Follows the keys of this kind, at most two seconds old, and returns the same object until they change. `build` gets
 * first the key that makes, then the newest. The first start makes one; if several servers start at once, they use the
 * same one.
 */
export function followRing<Keys>(
  deps: RingDependencies & { clock: Clock },
  kind: KeyKind,
  build: (ring: readonly RingKey[]) => Promise<Keys>,
): () => Promise<Keys> {
  const read = refreshed<{ ids: string; keys: Keys }>(deps.clock, async (previous) => {
    let stored = await listKeys(deps.db, kind.name)
    if (stored.length === 0) {
      await makeKey(deps, kind, { isFirst: true })
      stored = await listKeys(deps.db, kind.name)
    }
    const used = inOrderOfUse(stored, kind)
    const ids = used.map(({ keyId }) => keyId).join()
    if (ids === previous?.ids) return previous
    const ring = used.map(({ keyId, secretEncrypted }) => ({
      id: keyId,
      secret: deps.cipher.decrypt(secretEncrypted, locationOf(kind, keyId)),
    }))
    return { ids, keys: await build(ring) }
  })
  return async () => (await read()).keys
}

/**
 * Makes and stores a key, and returns its id. That of the first is empty, and the first is not stored if there is one.
 */
export async function makeKey(
  { db, cipher }: RingDependencies,
  kind: KeyKind,
  { isFirst }: { isFirst: boolean },
): Promise<string> {
  const keyId = isFirst ? '' : randomBytes(6).toString('hex')
  const secretEncrypted = cipher.encrypt(await kind.make(), locationOf(kind, keyId))
  await insertKey(db, kind.name, { keyId, secretEncrypted })
  return keyId
}

/** Whether anything that the key made may still be of use. */
export function isUseful({ replacedForSeconds }: StoredKey, { usefulForSeconds }: KeyKind): boolean {
  return replacedForSeconds === null || replacedForSeconds < usefulForSeconds + marginSeconds
}

function inOrderOfUse(stored: readonly StoredKey[], kind: KeyKind): StoredKey[] {
  const useful = stored.filter((key) => isUseful(key, kind))
  const maker = useful.find(({ ageSeconds }) => ageSeconds >= kind.settleSeconds) ?? useful.at(-1)
  return [...useful].sort((one, other) => Number(other === maker) - Number(one === maker))
}

function locationOf({ name }: KeyKind, keyId: string) {
  return { column: 'key_ring.secret', row: `${name}/${keyId}` }
}

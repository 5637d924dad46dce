import { randomBytes } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import type { FieldCipher } from '../kernel/field-encryption.ts'
import { insertKey, listKeys, type RingKind, type StoredKey } from './key-ring.store.ts'

/** A key as its users need it. */
export interface RingKey {
  id: string
  secret: Buffer
}

/** A kind of key in the database. The newest key makes; earlier ones verify and find what they made. */
export interface KeyKind {
  name: RingKind
  make(): Promise<string | Buffer>
  /** How long a key is needed after its replacement. `Infinity` if rows keep what it made. */
  usefulForSeconds: number
}

export interface RingDependencies {
  db: Queryable
  cipher: Pick<FieldCipher, 'encrypt' | 'decrypt'>
}

/** The keys of hashes. The first key's hashes have no mark; those of each later key have its id. */
export const hashKeyKind: KeyKind = {
  name: 'hashes',
  make: async () => randomBytes(32),
  usefulForSeconds: Number.POSITIVE_INFINITY,
}

/** The last use of a replaced key is this much later than its replacement, at most. */
const marginSeconds = 60

/**
 * The keys of this kind that are of use, newest first. A server reads them once, when it starts: they are replaced only
 * while none runs. The first start makes one; if several servers start at once, they use the same one.
 */
export async function readRing(deps: RingDependencies, kind: KeyKind): Promise<RingKey[]> {
  let stored = await listKeys(deps.db, kind.name)
  if (stored.length === 0) {
    await makeKey(deps, kind, { isFirst: true })
    stored = await listKeys(deps.db, kind.name)
  }
  return stored
    .filter((key) => isUseful(key, kind))
    .map(({ keyId, secretEncrypted }) => ({
      id: keyId,
      secret: deps.cipher.decrypt(secretEncrypted, locationOf(kind, keyId)),
    }))
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

function locationOf({ name }: KeyKind, keyId: string) {
  return { column: 'key_ring.secret', row: `${name}/${keyId}` }
}

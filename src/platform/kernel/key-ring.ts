/** A named 32-byte key. */
export interface EncryptionKey {
  id: string
  key: Buffer
}

/** A deployment's keys: one encrypts, and all decrypt. They may change at run time. */
export interface KeyRing {
  /** The key that new values are encrypted with. */
  current(): EncryptionKey
  find(id: string): Buffer | undefined
}

/** A ring whose keys never change. The first key encrypts. Throws if the list is empty. */
export function fixedKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const [current] = keys
  if (current === undefined) throw new Error('no encryption key configured')
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  return { current: () => current, find: (id) => byId.get(id) }
}

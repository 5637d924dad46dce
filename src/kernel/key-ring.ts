/** A named 32-byte key. */
export interface EncryptionKey {
  id: string
  key: Buffer
}

/** The keys of a deployment: one encrypts, all decrypt. Which they are may change while it runs. */
export interface KeyRing {
  /** The one that encrypts. */
  current(): EncryptionKey
  find(id: string): Buffer | undefined
}

/** Keys that stay as they are: the first encrypts. Throws where there is none. */
export function fixedKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const [current] = keys
  if (current === undefined) throw new Error('no encryption key configured')
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  return { current: () => current, find: (id) => byId.get(id) }
}

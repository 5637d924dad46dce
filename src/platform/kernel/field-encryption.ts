import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type EncryptionKey, fixedKeyRing, type KeyRing } from './key-ring.ts'

/** A key for hashes. Its id marks the hashes it makes; the id of a deployment's first key is empty. */
interface HashKey {
  id: string
  key: Buffer
}

/** HMAC-SHA-256 in base64url, after `id.` if the key has an id. */
function keyedHash({ id, key }: HashKey, text: string): string {
  const hash = createHmac('sha256', key).update(text).digest('base64url')
  return id === '' ? hash : `${id}.${hash}`
}

/**
 * Where an encrypted value is stored. Encryption binds the value to its location (as associated data), so a value moved
 * elsewhere does not decrypt.
 */
export interface FieldLocation {
  /** Table and column, e.g. `customers.psr`. */
  column: string
  /** The row's primary key. */
  row: string
}

/** Encrypts individual fields of the database (AES-256-GCM) and hashes values that must be searchable. */
export interface FieldCipher {
  /** Returns `keyId.base64url(nonce ‖ ciphertext ‖ tag)`, encrypted with the current key. */
  encrypt(plain: string | Buffer, location: FieldLocation): string
  /** The same for a column of bytes, a quarter smaller: the bytes after `keyId.` are not encoded as text. */
  encryptBytes(plain: Buffer, location: FieldLocation): Buffer
  /** Returns the decrypted bytes. Throws `DecryptionError` if the value does not match the key or the location. */
  decrypt(value: string | Buffer, location: FieldLocation): Buffer
  /**
   * Keyed hash (HMAC-SHA-256, base64url): equal texts give equal hashes; a hash reveals nothing else about its text.
   */
  hash(text: string): string
  /** The hashes of the text with every key that may have made a stored one, the current key's first. */
  hashes(text: string): string[]
  /** The id of the key that new values are encrypted with. */
  currentKeyId(): string
}

/**
 * A value could not be decrypted: wrong key, wrong location or changed bytes. The message names the column, never the
 * value.
 */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

const nonceBytes = 12
const tagBytes = 16

/**
 * The first of the `ENCRYPTION_KEYS` encrypts; all of them decrypt. The keys of a key ring may change at run time. The
 * hash keys are separate, so rotating encryption keys does not change hashes; the first one hashes.
 */
export function createFieldCipher(
  keys: readonly EncryptionKey[] | KeyRing,
  hashKeys: Buffer | readonly HashKey[],
): FieldCipher {
  const hashesOf = (text: string) =>
    Buffer.isBuffer(hashKeys)
      ? [keyedHash({ id: '', key: hashKeys }, text)]
      : hashKeys.map((key) => keyedHash(key, text))
  const ring = 'current' in keys ? keys : fixedKeyRing(keys)
  return {
    encrypt(plain, location) {
      const { id, key } = ring.current()
      return `${id}.${Buffer.concat(seal(plain, key, location)).toString('base64url')}`
    },
    encryptBytes(plain, location) {
      const { id, key } = ring.current()
      return Buffer.concat([Buffer.from(`${id}.`), ...seal(plain, key, location)])
    },
    decrypt(value, location) {
      const dot = value.indexOf('.')
      const keyId = value.slice(0, dot).toString()
      const key = ring.find(keyId)
      if (key === undefined)
        throw new DecryptionError(
          `${location.column} is encrypted with key "${keyId}", which is not in ENCRYPTION_KEYS`,
        )
      const sealed =
        typeof value === 'string' ? Buffer.from(value.slice(dot + 1), 'base64url') : value.subarray(dot + 1)
      return open(sealed, key, location)
    },
    currentKeyId: () => ring.current().id,
    hashes: hashesOf,
    hash(text) {
      const [current] = hashesOf(text)
      if (current === undefined) throw new Error('no hash key configured')
      return current
    },
  }
}

function seal(plain: string | Buffer, key: Buffer, location: FieldLocation): Buffer[] {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(associatedData(location))
  return [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
}

function open(sealed: Buffer, key: Buffer, location: FieldLocation): Buffer {
  try {
    const nonce = sealed.subarray(0, nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(associatedData(location))
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()])
  } catch (error) {
    throw new DecryptionError(`${location.column} holds a value that was moved there or altered`, {
      cause: error,
    })
  }
}

function associatedData(location: FieldLocation): Buffer {
  return Buffer.from(`${location.column}\0${location.row}`)
}

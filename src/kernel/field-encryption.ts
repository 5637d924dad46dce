import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { type EncryptionKey, fixedKeyRing, type KeyRing } from './key-ring.ts'

/** Where an encrypted value lives. It is bound to the value as associated data: moved elsewhere, it does not decrypt. */
export interface FieldPlace {
  /** Table and column, e.g. `customers.psr`. */
  column: string
  /** The row's primary key. */
  row: string
}

/** Encrypts single fields of the database (AES-256-GCM) and hashes values that must be found again. */
export interface FieldCipher {
  /** `keyId.base64url(nonce ‖ ciphertext ‖ tag)`, under the current key. */
  encrypt(plain: string | Buffer, place: FieldPlace): string
  /** The plain bytes. Throws `DecryptionError` where key, place or value do not belong together. */
  decrypt(value: string, place: FieldPlace): Buffer
  /** Keyed hash (HMAC-SHA-256, base64url): equal texts give equal hashes, nothing else can be learnt from them. */
  hash(text: string): string
  /** The id of the key that encrypts at the moment. */
  currentKeyId(): string
}

/** A value that its key, its place or its bytes do not let decrypt. The message names the column, never the value. */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError'
}

const nonceBytes = 12
const tagBytes = 16

/**
 * The first key encrypts, all decrypt (`ENCRYPTION_KEYS`); a ring may change which they are. The hash key is separate (`hashKey`), so that rotating
 * encryption keys changes no hash.
 */
export function createFieldCipher(keys: readonly EncryptionKey[] | KeyRing, hashKey: Buffer): FieldCipher {
  const ring = 'current' in keys ? keys : fixedKeyRing(keys)
  return {
    encrypt(plain, place) {
      const current = ring.current()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce)
      cipher.setAAD(associatedData(place))
      const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
      return `${current.id}.${sealed.toString('base64url')}`
    },
    decrypt(value, place) {
      const dot = value.indexOf('.')
      const keyId = value.slice(0, dot)
      const key = ring.find(keyId)
      if (key === undefined)
        throw new DecryptionError(
          `${place.column} is encrypted with key "${keyId}", which ENCRYPTION_KEYS does not hold`,
        )
      return open(Buffer.from(value.slice(dot + 1), 'base64url'), key, place)
    },
    currentKeyId: () => ring.current().id,
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('base64url'),
  }
}

function open(sealed: Buffer, key: Buffer, place: FieldPlace): Buffer {
  try {
    const nonce = sealed.subarray(0, nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(associatedData(place))
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()])
  } catch (error) {
    throw new DecryptionError(`${place.column} holds a value that does not belong there or was altered`, {
      cause: error,
    })
  }
}

function associatedData(place: FieldPlace): Buffer {
  return Buffer.from(`${place.column}\0${place.row}`)
}

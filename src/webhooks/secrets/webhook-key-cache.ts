import { createSecretKey, type KeyObject } from 'node:crypto'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { openSecret, type StoredSecret, secretKey } from './secret.ts'

const maxKeys = 1_000

/**
 * A cache of signing keys by their ciphertext, so that a secret is not decrypted for every message. Rotating a secret
 * changes its ciphertext, so entries never become stale. Drops the least recently used key when the cache is full.
 */
export class WebhookKeyCache {
  readonly #cipher: FieldCipher
  readonly #opened = new Map<string, KeyObject>()

  constructor(cipher: FieldCipher) {
    this.#cipher = cipher
  }

  /** Returns the signing key. Throws `DecryptionError` if the secret belongs to another row. */
  open(webhookId: Id<'webhook'>, stored: StoredSecret): KeyObject {
    const key = `${webhookId}/${stored.secretNumber} ${stored.encrypted}`
    const secret = this.#opened.get(key) ?? createSecretKey(secretKey(openSecret(this.#cipher, webhookId, stored)))
    this.#opened.delete(key)
    this.#opened.set(key, secret)
    if (this.#opened.size > maxKeys) {
      const [oldest] = this.#opened.keys()
      if (oldest !== undefined) this.#opened.delete(oldest)
    }
    return secret
  }
}

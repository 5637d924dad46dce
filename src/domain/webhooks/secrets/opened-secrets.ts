import { createSecretKey, type KeyObject } from 'node:crypto'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import { openSecret, type StoredSecret, secretKey } from './secret.ts'

const mostKept = 1_000

/**
 * The keys of signing secrets, kept by their ciphertext: one is decrypted and made for its first message instead of for every one. A
 * rotated secret has another ciphertext, so nothing here goes stale; what was not used longest is dropped.
 */
export class OpenedSecrets {
  readonly #cipher: FieldCipher
  readonly #opened = new Map<string, KeyObject>()

  constructor(cipher: FieldCipher) {
    this.#cipher = cipher
  }

  /** Throws `DecryptionError` where it belongs to another row. */
  open(webhookId: string, stored: StoredSecret): KeyObject {
    const key = `${webhookId}/${stored.secretNumber} ${stored.encrypted}`
    const secret = this.#opened.get(key) ?? createSecretKey(secretKey(openSecret(this.#cipher, webhookId, stored)))
    this.#opened.delete(key)
    this.#opened.set(key, secret)
    if (this.#opened.size > mostKept) {
      const [oldest] = this.#opened.keys()
      if (oldest !== undefined) this.#opened.delete(oldest)
    }
    return secret
  }
}

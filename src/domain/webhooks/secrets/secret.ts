import { randomBytes } from 'node:crypto'
import type { FieldCipher, FieldPlace } from '../../../kernel/field-encryption.ts'

const secretPrefix = 'whsec_'

/** A webhook's secrets are numbered; this is the one its registration answers. */
export const firstSecretNumber = 1

/** How long a replaced secret keeps signing beside the new one (docs/webhooks.md#a-new-secret). */
export const overlapSeconds = 86_400

/** Secrets that sign at once, however often one is replaced within the overlap: a message carries a signature for each. */
export const mostSigningSecrets = 5

/** A signing secret as it lies in the database. */
export interface StoredSecret {
  secretNumber: number
  encrypted: string
}

/** A new signing secret in the Standard Webhooks form: `whsec_` and 32 random bytes in Base64. Shown to the partner once. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64')
}

/** The bytes that sign. Throws where the text is not a secret of that form; the message never holds the text. */
export function secretKey(secret: string): Buffer {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  const key = Buffer.from(encoded, 'base64')
  if (key.length < 24 || key.length > 64)
    throw new Error('a webhook secret must be "whsec_" and 24 to 64 bytes in Base64')
  return key
}

/** Encrypts a secret for its row: moved to another webhook or number, it does not decrypt. */
export function sealSecret(cipher: FieldCipher, webhookId: string, secretNumber: number, secret: string): StoredSecret {
  return { secretNumber, encrypted: cipher.encrypt(secret, secretPlace(webhookId, secretNumber)) }
}

/** The secret in the clear. Throws `DecryptionError` where it belongs to another row. */
export function openSecret(cipher: FieldCipher, webhookId: string, { secretNumber, encrypted }: StoredSecret): string {
  return cipher.decrypt(encrypted, secretPlace(webhookId, secretNumber)).toString('utf8')
}

/** The first secret's place has no number: it was bound to its webhook alone before there could be a second. */
function secretPlace(webhookId: string, secretNumber: number): FieldPlace {
  const row = secretNumber === firstSecretNumber ? webhookId : `${webhookId}/${secretNumber}`
  return { column: 'webhooks.secret', row }
}

import { createHmac, randomBytes } from 'node:crypto'
import type { FieldCipher, FieldLocation } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'

const secretPrefix = 'whsec_'

/** The number of the secret that a webhook gets when it is registered. */
export const firstSecretNumber = 1

/** For how long messages are also signed with a previous secret (docs/webhooks.md#a-new-secret). */
export const overlapSeconds = 86_400

/** The maximum number of secrets used to sign a message. The message carries a signature for each of them. */
export const maxSigningSecrets = 5

/** A signing secret as it is stored. */
export interface StoredSecret {
  secretNumber: number
  encrypted: string
}

/**
 * A new signing secret in the Standard Webhooks form: `whsec_` and 32 random bytes in Base64. Shown to the partner
 * once.
 */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64')
}

/**
 * Returns the bytes of the secret's key. Throws if the text is not a valid secret; the error never contains the text.
 *
 * @internal Tests sign with it.
 */
export function secretKey(secret: string): Buffer {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  const key = Buffer.from(encoded, 'base64')
  if (key.length < 24 || key.length > 64)
    throw new Error('a webhook secret must be "whsec_" followed by 24 to 64 bytes in Base64')
  return key
}

/** Encrypts a secret in such a way that it can be decrypted only for the same webhook and the same secret number. */
export function sealSecret(
  cipher: FieldCipher,
  webhookId: Id<'webhook'>,
  secretNumber: number,
  secret: string,
): StoredSecret {
  return { secretNumber, encrypted: cipher.encrypt(secret, secretLocation(webhookId, secretNumber)) }
}

/** Decrypts a secret. Throws `DecryptionError` if it belongs to another row. */
export function openSecret(
  cipher: FieldCipher,
  webhookId: Id<'webhook'>,
  { secretNumber, encrypted }: StoredSecret,
): string {
  return cipher.decrypt(encrypted, secretLocation(webhookId, secretNumber)).toString('utf8')
}

/**
 * The context to which a secret's encryption is bound. The context of a webhook's first secret has no number, because
 * webhooks once had only one secret, without a number.
 */
function secretLocation(webhookId: Id<'webhook'>, secretNumber: number): FieldLocation {
  const row = secretNumber === firstSecretNumber ? webhookId : `${webhookId}/${secretNumber}`
  return { column: 'webhooks.secret', row }
}

/** The headers that Standard Webhooks defines. */
interface SignatureHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Signs a message according to Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`, in Base64 after `v1,`. The
 * timestamp (in Unix seconds) is that of the attempt; the id is that of the message. During a rotation, the header has
 * one signature for each secret, separated by spaces; a receiver needs to verify only one.
 */
export function signMessage(
  secrets: readonly string[],
  message: { id: string; timestamp: Date; body: string },
): SignatureHeaders {
  const seconds = Math.floor(message.timestamp.getTime() / 1000).toString()
  const signed = `${message.id}.${seconds}.${message.body}`
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secretKey(secret)).update(signed).digest('base64')}`,
  )
  return { 'webhook-id': message.id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

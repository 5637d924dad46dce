import { randomBytes } from 'node:crypto'

export const secretPrefix = 'whsec_'

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

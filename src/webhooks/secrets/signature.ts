import { createHmac, type KeyObject } from 'node:crypto'
import { secretKey } from './secret.ts'

/** The headers that Standard Webhooks defines. */
export interface SignatureHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Signs a message according to Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`, in Base64 after `v1,`. The
 * timestamp (in Unix seconds) is that of the attempt; the id is that of the message. During a rotation, the header has
 * one signature for each secret, separated by spaces; a receiver needs to verify only one. To sign many messages
 * faster, pass an already decoded key instead of the secret.
 */
export function signMessage(
  secrets: readonly (string | KeyObject)[],
  message: { id: string; timestamp: Date; body: string },
): SignatureHeaders {
  const seconds = Math.floor(message.timestamp.getTime() / 1000).toString()
  const signed = `${message.id}.${seconds}.${message.body}`
  const signatures = secrets.map(
    (secret) =>
      `v1,${createHmac('sha256', typeof secret === 'string' ? secretKey(secret) : secret)
        .update(signed)
        .digest('base64')}`,
  )
  return { 'webhook-id': message.id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

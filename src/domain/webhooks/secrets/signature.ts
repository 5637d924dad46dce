import { createHmac, type KeyObject } from 'node:crypto'
import { secretKey } from './secret.ts'

/** The headers of Standard Webhooks. */
export interface SignatureHeaders {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * Signs a message by Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`, in Base64 after `v1,`. The timestamp (Unix seconds) is
 * the attempt's, the id the message's. During a rotation the header has one signature for each secret, separated by spaces; a receiver
 * needs to verify only one. A secret can be given as its key, which is faster for many messages.
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

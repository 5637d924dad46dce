import type { WebhookMessage } from './api-types.ts'

/** The message is not Housebill's, was changed on its way, or is too old. Respond with 400. */
export class InvalidWebhookError extends Error {
  override name = 'InvalidWebhookError'
}

/** Headers as `fetch`, `node:http` or a serverless platform gives them, in any letter case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/** How strict `verifyWebhook` is. */
export interface VerifyOptions {
  /** How far the time of the attempt may be from your clock, in seconds. Defaults to 300. */
  toleranceSeconds?: number
  /** Your clock. Defaults to the machine's. */
  now?: Date
}

/**
 * Checks the signature of a webhook message (Standard Webhooks) and returns the message.
 *
 * `rawBody` is the body as received: parsing and serialising it again would change it. `secret` is the webhook's secret, or several of which
 * one must fit, as while you replace it. Throws InvalidWebhookError.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length === 0) throw new TypeError('verifyWebhook needs at least one secret')
  const sentSeconds = /^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN
  if (!(Math.abs(now.getTime() / 1_000 - sentSeconds) <= toleranceSeconds))
    throw new InvalidWebhookError(`webhook-timestamp is more than ${toleranceSeconds} seconds from this clock`)

  const body = typeof rawBody === 'string' ? rawBody : new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const given = signatures.split(' ').filter((entry) => entry.startsWith('v1,'))
  for (const each of secrets) {
    const key = await importKey(each)
    for (const entry of given) {
      const signature = decodeBase64(entry.slice('v1,'.length))
      // `verify` compares in constant time.
      if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed)))
        return JSON.parse(body) as WebhookMessage
    }
  }
  throw new InvalidWebhookError('no signature fits the message and the secret')
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  const text = typeof value === 'string' ? value : value?.join(' ')
  if (!text) throw new InvalidWebhookError(`the header ${name} is missing`)
  return text
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) throw new TypeError('a webhook secret is "whsec_" and Base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** The bytes; undefined if the text is not Base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { StripeFault } from './stripe-fault.ts'

/**
 * The secret key allows every call. The publishable key allows only those that a browser with a client secret may make.
 */
export type KeyKind = 'secret' | 'publishable'

export interface Credentials {
  /**
   * The kind of a request's key, sent as `Bearer <key>` or as the user name of `Basic`. Throws the processor's 401 for
   * any other key.
   */
  authenticate(authorization: string | undefined): KeyKind
  /** The intent's client secret, which is derived from the id and not stored. */
  clientSecretOf(setupIntentId: string): string
  /** Throws the processor's 404 unless `given` is the intent's client secret. */
  requireClientSecret(setupIntentId: string, given: string | undefined): void
  /** A keyed hash of the text: equal texts have equal hashes, and without the key, a hash reveals nothing. */
  fingerprint(text: string): string
}

/** The publishable key that belongs to a simulator's secret key. */
export function publishableKeyOf(secretKey: string): string {
  return `pk_test_${base62(keyed(secretKey, 'publishable key', ''))}`
}

export function createCredentials(secretKey: string): Credentials {
  const publishableKey = publishableKeyOf(secretKey)
  const clientSecretOf = (setupIntentId: string) =>
    `${setupIntentId}_secret_${base62(keyed(secretKey, 'client secret', setupIntentId))}`
  return {
    authenticate: (authorization) => {
      const key = keyIn(authorization)
      if (key === undefined || key === '') throw unauthenticated('You did not provide an API key.')
      if (same(key, secretKey)) return 'secret'
      if (same(key, publishableKey)) return 'publishable'
      throw unauthenticated('Invalid API Key provided.')
    },
    clientSecretOf,
    requireClientSecret: (setupIntentId, given) => {
      if (given !== undefined && same(given, clientSecretOf(setupIntentId))) return
      throw new StripeFault(404, {
        type: 'invalid_request_error',
        code: 'resource_missing',
        param: 'client_secret',
        message: 'The client_secret provided does not match the SetupIntent. Check that it was passed on unchanged.',
      })
    },
    fingerprint: (text) => keyed(secretKey, 'fingerprint', text).toString('base64url'),
  }
}

function keyIn(authorization: string | undefined): string | undefined {
  const [, scheme, value] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (scheme === undefined || value === undefined) return undefined
  return scheme.toLowerCase() === 'bearer' ? value : Buffer.from(value, 'base64').toString('utf8').split(':', 1)[0]
}

function keyed(secretKey: string, purpose: string, text: string): Buffer {
  return createHmac('sha256', secretKey).update(`${purpose}\0${text}`).digest()
}

/** Compares keyed hashes of the texts, so that timing reveals neither their length nor the position of a difference. */
function same(left: string, right: string): boolean {
  return timingSafeEqual(keyed('compare', '', left), keyed('compare', '', right))
}

function unauthenticated(message: string): StripeFault {
  return new StripeFault(401, {
    type: 'invalid_request_error',
    message: `${message} Send the key as 'Authorization: Bearer <key>' or as the user name of HTTP Basic.`,
  })
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The kinds of object that have a processor id. */
type ProcessorIdKind = 'cus' | 'seti' | 'setatt' | 'pi' | 'pm' | 'ch' | 're' | 'dp' | 'evt' | 'req'

/** A new processor id: the kind, an underscore, and letters and digits, e.g. `seti_3Xk…`. */
export function newProcessorId(kind: ProcessorIdKind): string {
  return `${kind}_${base62(randomBytes(18))}`
}

/** Letters and digits only, as the processor's browser library expects of keys, ids and secrets. */
function base62(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (number > 0n) {
    text = (alphabet[Number(number % 62n)] ?? '') + text
    number /= 62n
  }
  return text
}

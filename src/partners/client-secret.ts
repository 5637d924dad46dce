import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new client secret: 256 random bits, shown once. */
export function newClientSecret(): string {
  return `sk_${randomBytes(32).toString('base64url')}`
}

/**
 * The hash to store of a secret, as `sha256$hash`. A slow hash protects passwords, which people choose; 256 random bits
 * cannot be guessed from a fast one either (NIST SP 800-63B, section 5.1.2.2), and a slow one would let strangers keep
 * our processors busy.
 */
export function hashClientSecret(secret: string): string {
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}

/**
 * Whether the secret matches one of the stored hashes, each compared in constant time. Throws if a stored text is no
 * hash.
 */
export function matchesClientSecret(secret: string, ...stored: readonly string[]): boolean {
  const actual = Buffer.from(hashClientSecret(secret))
  return stored.map((each) => isEqual(actual, each)).includes(true)
}

function isEqual(actual: Buffer, stored: string): boolean {
  if (!/^sha256\$[\w-]+$/.test(stored)) throw new Error('unknown client secret hash format')
  const expected = Buffer.from(stored)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/**
 * Whether the text can be a client id, which consists of visible ASCII characters and spaces (RFC 6749 appendix A.1).
 * PostgreSQL would reject some other characters.
 */
export function isValidClientId(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text)
}

/**
 * A new client id. Its prefix names the realm, so that sandbox credentials in a live configuration are easy to spot.
 */
export function newClientId(realm: 'sandbox' | 'live'): string {
  return `${realm === 'sandbox' ? 'sb' : 'live'}_${randomBytes(12).toString('hex')}`
}

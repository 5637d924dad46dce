import { randomBytes } from 'node:crypto'

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

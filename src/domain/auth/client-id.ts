import { randomBytes } from 'node:crypto'

/** Visible ASCII and spaces (RFC 6749 appendix A.1). Nothing else is anybody's, and some of it PostgreSQL cannot hold. */
export function isSpeltAsClientId(text: string): boolean {
  return /^[\x20-\x7e]{1,255}$/.test(text)
}

/** Credentials show their realm, so that a sandbox secret in a live configuration is seen at a glance. */
export function newClientId(realm: 'sandbox' | 'live'): string {
  return `${realm === 'sandbox' ? 'sb' : 'live'}_${randomBytes(12).toString('hex')}`
}

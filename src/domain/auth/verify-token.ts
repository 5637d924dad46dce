import { createHash } from 'node:crypto'
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { isCanonicalToken } from '../kernel/token-spelling.ts'
import type { PartnerDirectory } from './partner-directory.ts'
import { findCredential } from './partners.store.ts'
import { isScope, type Scope } from './scopes.ts'

/** What a verified token allows, and what time it is for its partner. */
export interface AccessGrant {
  partnerId: string
  clientId: string
  scopes: readonly Scope[]
  now: Date
}

export interface TokenVerifier {
  /** The grant, or why the token is refused, in words fit for a header. Throws `service_unavailable` when it cannot tell. */
  verify(token: string): Promise<AccessGrant | { refused: string }>
}

interface RememberedToken {
  partnerId: string
  clientId: string
  scopes: readonly Scope[]
  expiresAt: number
}

/** Enough for every client of a large deployment; the oldest is forgotten first. */
const rememberedTokens = 10_000

/**
 * Verifies access tokens (RFC 9068): ES256 only, our issuer and audience, not expired. A verified token is remembered by its
 * SHA-256 until it expires, so that a hot partner costs no signature check; whether its partner may act is asked every time.
 */
export function createTokenVerifier(
  { db, clock, partners }: { db: Database; clock: Clock; partners: PartnerDirectory },
  expected: { issuer: string; audience: string; publicKeys: JSONWebKeySet },
): TokenVerifier {
  const keys = createLocalJWKSet(expected.publicKeys)
  const remembered = new Map<string, RememberedToken>()

  async function check(token: string): Promise<RememberedToken | { refused: string }> {
    if (!isCanonicalToken(token)) return { refused: 'it was not issued for this service or was altered' }
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256'],
        typ: 'at+jwt',
        issuer: expected.issuer,
        audience: expected.audience,
        requiredClaims: ['exp', 'client_id', 'scope'],
        currentDate: clock.now(),
      })
      const credential = await findCredential(db, String(payload.client_id))
      if (credential === undefined) return { refused: 'its client no longer exists' }
      return {
        partnerId: credential.partnerId,
        clientId: credential.clientId,
        scopes: String(payload.scope).split(' ').filter(isScope),
        expiresAt: (payload.exp ?? 0) * 1000,
      }
    } catch (error) {
      if (error instanceof errors.JWTExpired) return { refused: 'it has expired' }
      if (error instanceof errors.JOSEError) return { refused: 'it was not issued for this service or was altered' }
      throw error
    }
  }

  return {
    async verify(token) {
      const fingerprint = createHash('sha256').update(token).digest('base64')
      const now = clock.now()
      let known = remembered.get(fingerprint)
      if (known === undefined) {
        const checked = await check(token)
        if ('refused' in checked) return checked
        known = checked
        remembered.set(fingerprint, known)
        if (remembered.size > rememberedTokens) forgetOldest(remembered)
      }
      if (known.expiresAt <= now.getTime()) {
        remembered.delete(fingerprint)
        return { refused: 'it has expired' }
      }
      const partner = await partners.find(known.partnerId)
      if (partner === undefined || partner.disabledAt !== null) return { refused: 'its partner is disabled' }
      const partnersNow = new Date(now.getTime() + partner.clockOffsetSeconds * 1000)
      return { partnerId: known.partnerId, clientId: known.clientId, scopes: known.scopes, now: partnersNow }
    },
  }
}

function forgetOldest(remembered: Map<string, RememberedToken>): void {
  const oldest = remembered.keys().next()
  if (!oldest.done) remembered.delete(oldest.value)
}

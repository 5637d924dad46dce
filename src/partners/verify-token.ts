import { createHash, type KeyObject } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { hasPossibleLifetime, isCanonicalToken, isFromTheFuture } from '../platform/kernel/token-lifetime.ts'
import { isValidClientId } from './client-secret.ts'
import type { Sealer } from './credential-seal.ts'
import { hasCredentialExpired } from './credential-validity.ts'
import { asProviderUnavailable } from './identity-provider.ts'
import type { PartnerDirectory } from './partner-directory.ts'
import type { CallSettings } from './partner-settings.schema.ts'
import { type Credential, findCredential } from './partners.store.ts'
import type { RevokedToken } from './revocation/revoked-tokens.store.ts'
import { type RevokedTokens, tokenIdOf } from './revocation/revoked-tokens.ts'
import type { Scope } from './scopes.ts'
import type { TokenRules } from './token-rules.ts'
import type { TokenKeyHeader } from './verification-key.ts'

/** What a verified token allows, and the current time on its partner's clock. */
export interface AccessGrant {
  partnerId: Id<'partner'>
  clientId: string
  scopes: readonly Scope[]
  now: Date
  /** Whether the operator has suspended the partner, so that every call is rejected. */
  isSuspended: boolean
  /** What the operator has set for the partner. */
  settings: CallSettings
  /** From where the token may be used; see `isAllowedFrom`. */
  allowedFrom: Credential['allowedFrom']
  /** What `RevokedTokens.add` takes to revoke the token. */
  token: RevokedToken
}

export interface TokenVerifier {
  /**
   * The grant, or why the token is rejected, worded for a response header. Throws `service_unavailable` if the token
   * cannot be checked.
   */
  verify(token: string): Promise<AccessGrant | { rejected: string }>
}

interface RememberedToken {
  tokenId: string
  clientId: string
  scopes: readonly Scope[]
  expiresAt: number
  /** The last moment, in milliseconds, at which it may have been issued; undefined if it does not say when that was. */
  issuedBefore: number | undefined
  tokenGeneration: number | undefined
  /** The generation of the keys with which the token was verified. */
  generation: unknown
}

interface Rejection {
  rejected: string
}

/**
 * How many tokens the cache holds: enough for every client of a large deployment. When it is full, the oldest entry is
 * dropped.
 */
const rememberedTokens = 10_000

const foreign: Rejection = { rejected: 'it was not issued for this service or has been altered' }
const expired: Rejection = { rejected: 'it has expired' }
/** Accepting it without a proof of the key would be what binding it was meant to prevent (RFC 9449 §6, RFC 8705 §3). */
export const bound: Rejection = { rejected: 'it is bound to a key, and this service accepts only tokens that are not' }
export const fromTheFuture: Rejection = { rejected: 'it says that it was issued in the future: clocks may differ' }
const tooLong: Rejection = { rejected: 'it lasts longer than any token of this service' }

interface VerifierDependencies {
  cipher: Sealer
  db: Database
  clock: Clock
  partners: PartnerDirectory
  revokedTokens: Pick<RevokedTokens, 'includes'>
}

/**
 * Verifies access tokens (RFC 9068) according to their issuer's rules: signature, issuer, audience, type, expiry and
 * lifetime. Caches a verified token by its SHA-256 until it expires or a key is replaced. A busy partner therefore
 * causes few signature checks, and cached tokens keep working while an external provider is down. Every call still
 * checks that the token was not revoked, its credentials are valid and its partner is enabled.
 */
export function createTokenVerifier(
  { db, cipher, clock, partners, revokedTokens }: VerifierDependencies,
  rules: TokenRules,
): TokenVerifier {
  const remembered = new Map<string, RememberedToken>()

  async function check(token: string): Promise<RememberedToken | Rejection> {
    const wanted = wantedKey(token, rules)
    const generation = await rules.keys.generation?.()
    const outcome = wanted === undefined ? foreign : await readClaims(token, wanted, rules, clock.now())
    if (!('claims' in outcome)) return outcome
    const { claims } = outcome
    const clientId = rules.clientIdOf(claims)
    if (clientId === undefined || claims.exp === undefined) return foreign
    if (claims.cnf !== undefined) return bound
    const { longestLifetimeSeconds } = rules
    if (longestLifetimeSeconds !== undefined) {
      if (claims.iat === undefined) return foreign
      if (!hasPossibleLifetime(claims, { longestLifetimeSeconds, now: clock.now() })) return tooLong
    }
    if (isFromTheFuture(claims, clock.now())) return fromTheFuture
    const credential = isValidClientId(clientId) ? await findCredential(db, cipher, clientId) : undefined
    if (credential === undefined) return { rejected: 'its client is not registered with this service' }
    const scopes = rules.scopesOf(claims, credential)
    if (scopes === undefined) return foreign
    const expiresAt = (claims.exp + rules.clockToleranceSeconds) * 1000
    const { clientId: registeredId } = credential
    const tokenGeneration = rules.generationOf(claims)
    return {
      tokenId: tokenIdOf(token),
      clientId: registeredId,
      scopes,
      expiresAt,
      // The claim is in whole seconds, rounded down.
      issuedBefore: claims.iat === undefined ? undefined : (claims.iat + 1 + rules.clockToleranceSeconds) * 1000,
      tokenGeneration,
      generation,
    }
  }

  return {
    async verify(token) {
      const fingerprint = createHash('sha256').update(token).digest('base64')
      const now = clock.now()
      let known = remembered.get(fingerprint)
      if (known === undefined || known.generation !== (await rules.keys.generation?.())) {
        remembered.delete(fingerprint)
        const checked = await check(token)
        if ('rejected' in checked) return checked
        known = checked
        remembered.set(fingerprint, known)
        if (remembered.size > rememberedTokens) forgetOldest(remembered)
      }
      if (known.expiresAt <= now.getTime()) {
        remembered.delete(fingerprint)
        return expired
      }
      const [credential, isRevoked] = await Promise.all([
        partners.find(known.clientId),
        revokedTokens.includes(known.tokenId),
      ])
      if (credential === undefined) return { rejected: 'its credentials were removed' }
      if (credential.partnerDisabledAt !== null) return { rejected: 'its partner is disabled' }
      if (hasCredentialExpired(credential, now)) return { rejected: 'its credentials have expired' }
      if (known.issuedBefore !== undefined && known.issuedBefore <= credential.createdAt.getTime())
        return { rejected: 'it was issued before its credentials were made' }
      if (isRevoked) return { rejected: 'it was revoked' }
      // Not if it is later: the credential in the cache may be older than the token.
      if (known.tokenGeneration !== undefined && known.tokenGeneration < credential.tokenGeneration)
        return { rejected: 'it was ended when the secret of its credentials was rotated' }
      return {
        partnerId: credential.partnerId,
        clientId: known.clientId,
        scopes: known.scopes.filter((scope) => credential.scopes.includes(scope)),
        now: new Date(now.getTime() + credential.clockOffsetSeconds * 1000),
        isSuspended: credential.partnerSuspendedAt !== null,
        settings: credential.settings,
        allowedFrom: credential.allowedFrom,
        token: { tokenId: known.tokenId, expiresAt: new Date(known.expiresAt) },
      }
    },
  }
}

/**
 * The algorithm and key id that the token names; undefined if no key could make the token valid. Keys are fetched from
 * an external issuer only for tokens that claim to come from it, so that other tokens cannot trigger requests.
 */
function wantedKey(token: string, rules: TokenRules): TokenKeyHeader | undefined {
  if (!isCanonicalToken(token)) return undefined
  try {
    const { alg, kid, typ } = decodeProtectedHeader(token)
    const algorithm = rules.algorithms.find((each) => each === alg)
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
    if (algorithm === undefined || !rules.types.includes(type) || decodeJwt(token).iss !== rules.issuer)
      return undefined
    return { algorithm, keyId: typeof kid === 'string' ? kid : undefined }
  } catch {
    // The token is not a JWT.
    return undefined
  }
}

/**
 * Verifies the token with each key that may have signed it. There are several such keys if the token names none, or if
 * a new key reuses an old id. If none of them signed it, fetches the keys once more, because the issuer may have
 * published a new one.
 */
async function readClaims(
  token: string,
  wanted: TokenKeyHeader,
  rules: TokenRules,
  now: Date,
): Promise<{ claims: JWTPayload } | Rejection> {
  const find = (tried: readonly KeyObject[]) =>
    rules.keys.find(wanted, tried).catch((error: unknown) => {
      throw asProviderUnavailable(error)
    })
  const keys = await find([])
  const outcome = await tryKeys(token, keys, { wanted, rules, now })
  if (outcome !== undefined || keys.length === 0) return outcome ?? foreign
  return (await tryKeys(token, await find(keys), { wanted, rules, now })) ?? foreign
}

/** Verifies the token with each key in turn. Returns undefined if none of them signed it. */
async function tryKeys(
  token: string,
  keys: readonly KeyObject[],
  { wanted, rules, now }: { wanted: TokenKeyHeader; rules: TokenRules; now: Date },
): Promise<{ claims: JWTPayload } | Rejection | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [wanted.algorithm],
        issuer: rules.issuer,
        audience: rules.audience,
        requiredClaims: ['exp'],
        clockTolerance: rules.clockToleranceSeconds,
        currentDate: now,
      })
      return { claims: payload }
    } catch (error) {
      if (error instanceof errors.JWTExpired) return expired
      if (!(error instanceof errors.JOSEError)) throw error
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return foreign
    }
  }
  return undefined
}

function forgetOldest(remembered: Map<string, RememberedToken>): void {
  const oldest = remembered.keys().next()
  if (!oldest.done) remembered.delete(oldest.value)
}

import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isSpeltAsClientId } from './client-id.ts'
import { isClientSecret, pretendToCheck } from './client-secret.ts'
import { hasEnded, secretHashesAt } from './credential-period.ts'
import type { FairTurns } from './fair-turns.ts'
import { noteTokenDay } from './note-token-day.ts'
import { type Credential, findCredential } from './partners.store.ts'
import { isScope, type Scope } from './scopes.ts'
import type { SigningKeys } from './signing-keys.ts'

/** How long an access token is valid: 24 hours (interface: Auth). */
export const tokenLifetimeSeconds = 86_400

export interface TokenRequest {
  clientId: string
  clientSecret: string
  /** Absent in the partner form. */
  audience?: string
  /** Space-separated; absent for all the credentials have. */
  scope?: string
}

/** Where a token call comes from: what it costs is shared out over these. */
export interface TokenCallOrigin {
  network: string
}

/** A granted token, or the RFC 6749 error with a description for the developer. */
export type TokenOutcome =
  | { accessToken: string; expiresInSeconds: number; scope: string }
  | { error: 'invalid_request' | 'invalid_client'; description: string }

export interface TokenIssuer {
  signingKeys: SigningKeys
  issuer: string
  audience: string
  lifetimeSeconds: number
  /** Checking a secret costs a core for some 60 ms: only so many at once, whoever asks. */
  hashing: FairTurns
}

/** Spec: POST /Auth/token. Issues a JWT access token in the form of RFC 9068 for valid client credentials. */
export async function issueToken(
  { db, clock, tokenIssuer }: { db: Database; clock: Clock; tokenIssuer: TokenIssuer },
  request: TokenRequest,
  { network }: TokenCallOrigin,
): Promise<TokenOutcome> {
  const now = clock.now()
  const credential = isSpeltAsClientId(request.clientId) ? await findCredential(db, request.clientId) : undefined
  const hashes = credential === undefined ? [] : secretHashesAt(credential, now)
  const isRight = await tokenIssuer.hashing.take(network, async () => {
    if (hashes.length > 0) return isClientSecret(request.clientSecret, ...hashes)
    await pretendToCheck(request.clientSecret)
    return false
  })
  if (credential === undefined || !isRight) {
    return {
      error: 'invalid_client',
      description:
        'The client id or the client secret is wrong. Check both, and make sure that they belong to this environment.',
    }
  }
  if (credential.partnerDisabledAt !== null || hasEnded(credential, now)) {
    return { error: 'invalid_client', description: 'These credentials are disabled. Ask the operator for new ones.' }
  }
  if (request.audience !== undefined && request.audience !== tokenIssuer.audience) {
    return { error: 'invalid_request', description: `audience must be ${tokenIssuer.audience}` }
  }
  const granted = grantedScopes(credential.scopes, request.scope)
  if (granted === undefined) {
    return {
      error: 'invalid_request',
      description: `scope must be one or more of these scopes, separated by spaces: ${credential.scopes.join(' ')}`,
    }
  }
  const scope = granted.join(' ')
  await noteTokenDay(db, credential, now)
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresAt = Math.min(issuedAt + tokenIssuer.lifetimeSeconds, endOf(credential) ?? Number.POSITIVE_INFINITY)
  const accessToken = await new SignJWT({ client_id: credential.clientId, scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: tokenIssuer.signingKeys.keyId })
    .setIssuer(tokenIssuer.issuer)
    .setSubject(credential.clientId)
    .setAudience(tokenIssuer.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .setJti(randomUUID())
    .sign(tokenIssuer.signingKeys.privateKey)
  return { accessToken, expiresInSeconds: expiresAt - issuedAt, scope }
}

/** In whole seconds, as tokens have it; a second late rather than early, as every call asks again. */
function endOf({ expiresAt }: Credential): number | undefined {
  return expiresAt === null ? undefined : Math.ceil(expiresAt.getTime() / 1000)
}

/** All of the credentials' scopes, or those asked for; undefined where one of them is not theirs. */
function grantedScopes(own: readonly Scope[], asked: string | undefined): readonly Scope[] | undefined {
  if (asked === undefined) return own
  const wanted = [...new Set(asked.split(' ').filter((name) => name !== ''))]
  return wanted.length > 0 && wanted.every((name) => isScope(name) && own.includes(name))
    ? (wanted as Scope[])
    : undefined
}

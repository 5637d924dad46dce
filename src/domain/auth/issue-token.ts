import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { isValidClientId } from './client-id.ts'
import { matchesClientSecret, simulateSecretCheck } from './client-secret.ts'
import { hasCredentialExpired, validSecretHashes } from './credential-validity.ts'
import type { FairQueue } from './fair-queue.ts'
import { type Credential, findCredential } from './partners.store.ts'
import { recordLastTokenDay } from './record-last-token-day.ts'
import { isScope, type Scope } from './scopes.ts'
import type { LoadSigningKeys } from './signing-keys.ts'

/** How long an access token is valid: 24 hours (interface: Auth). */
export const tokenLifetimeSeconds = 86_400

export interface TokenRequest {
  clientId: string
  clientSecret: string
  /** Scopes separated by spaces. If absent, the token gets every scope of the credentials. */
  scope?: string
}

/** Where a token request comes from. Secret checks are shared fairly between networks. */
export interface TokenCallOrigin {
  network: string
}

/** A token, or an RFC 6749 error with a description for the developer. */
export type TokenOutcome =
  | { accessToken: string; expiresInSeconds: number; scope: string }
  | { error: 'invalid_request' | 'invalid_client'; description: string }

export interface TokenIssuer {
  signingKeys: LoadSigningKeys
  issuer: string
  audience: string
  lifetimeSeconds: number
  /** Checking a secret takes about 60 ms of one core, so only a few checks run concurrently. */
  hashing: FairQueue
}

/** Spec: POST /Auth/token. Issues an RFC 9068 JWT access token for valid client credentials. */
export async function issueToken(
  { db, clock, tokenIssuer }: { db: Database; clock: Clock; tokenIssuer: TokenIssuer },
  request: TokenRequest,
  { network }: TokenCallOrigin,
): Promise<TokenOutcome> {
  const now = clock.now()
  const credential = isValidClientId(request.clientId) ? await findCredential(db, request.clientId) : undefined
  const hashes = credential === undefined ? [] : validSecretHashes(credential, now)
  const isCorrect = await tokenIssuer.hashing.run(network, async () => {
    if (hashes.length > 0) return matchesClientSecret(request.clientSecret, ...hashes)
    await simulateSecretCheck(request.clientSecret)
    return false
  })
  if (credential === undefined || !isCorrect) {
    return {
      error: 'invalid_client',
      description:
        'The client id or the client secret is wrong. Check both, and make sure that they belong to this environment.',
    }
  }
  if (credential.partnerDisabledAt !== null || hasCredentialExpired(credential, now)) {
    return { error: 'invalid_client', description: 'These credentials are disabled. Ask the operator for new ones.' }
  }
  const granted = grantedScopes(credential.scopes, request.scope)
  if (granted === undefined) {
    return {
      error: 'invalid_request',
      description: `scope must be one or more of these scopes, separated by spaces: ${credential.scopes.join(' ')}`,
    }
  }
  const scope = granted.join(' ')
  await recordLastTokenDay(db, credential, now)
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresAt = Math.min(issuedAt + tokenIssuer.lifetimeSeconds, endOf(credential) ?? Number.POSITIVE_INFINITY)
  const { keyId, privateKey } = await tokenIssuer.signingKeys()
  const accessToken = await new SignJWT({ client_id: credential.clientId, scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: keyId })
    .setIssuer(tokenIssuer.issuer)
    .setSubject(credential.clientId)
    .setAudience(tokenIssuer.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .setJti(randomUUID())
    .sign(privateKey)
  return { accessToken, expiresInSeconds: expiresAt - issuedAt, scope }
}

/** The expiry of the credentials in whole seconds, rounded up. Every call that uses the token also checks the exact expiry. */
function endOf({ expiresAt }: Credential): number | undefined {
  return expiresAt === null ? undefined : Math.ceil(expiresAt.getTime() / 1000)
}

/** The requested scopes, or all of the credentials' scopes. Undefined if a requested scope is not among them. */
function grantedScopes(own: readonly Scope[], requested: string | undefined): readonly Scope[] | undefined {
  if (requested === undefined) return own
  const wanted = [...new Set(requested.split(' ').filter((name) => name !== ''))]
  return wanted.length > 0 && wanted.every((name) => isScope(name) && own.includes(name))
    ? (wanted as Scope[])
    : undefined
}

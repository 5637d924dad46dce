import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { hasPossibleLifetime, isCanonicalToken, isFromTheFuture } from '../../platform/kernel/token-lifetime.ts'
import type { ClientAuthentication, TokenCallOrigin } from '../authenticate-client.ts'
import { isValidClientId, matchesClientSecret } from '../client-secret.ts'
import type { Sealer } from '../credential-seal.ts'
import { endOfCredential, hasCredentialExpired, isAllowedFrom, wrongAddress } from '../credential-validity.ts'
import { grantedScopes } from '../scopes.ts'
import { signAccessToken, type TokenIssue } from '../sign-token.ts'
import { bound, fromTheFuture } from '../verify-token.ts'
import {
  findOperatorCredential,
  type OperatorCredential,
  updateOperatorTokenDate,
} from './operator-credentials.store.ts'
import { isOperatorScope, type OperatorScope } from './operator-scopes.ts'

/** How long an operator's token is valid: an hour. */
const lifetimeSeconds = 3_600

/** What a verified token allows. */
export interface OperatorGrant {
  clientId: string
  scopes: readonly OperatorScope[]
  /** From where the token may be used; see `isAllowedFrom`. */
  allowedFrom: OperatorCredential['allowedFrom']
  now: Date
}

/**
 * Issues and verifies the tokens of `/operator-api`. They have an audience of their own, so they open nothing of the
 * partner API, and a partner's token opens nothing of this one. They always come from this service, even if partners'
 * tokens come from elsewhere.
 */
export interface OperatorTokens {
  audience: string
  /** A token, or an RFC 6749 error. */
  issue(request: ClientAuthentication & { scope?: string }, origin: TokenCallOrigin): Promise<OperatorTokenOutcome>
  /**
   * The grant, or why the token is rejected. Reads the credential every time, so that disabling it takes effect at
   * once.
   */
  verify(token: string): Promise<OperatorGrant | { rejected: string }>
}

type OperatorTokenOutcome =
  | { accessToken: string; expiresInSeconds: number; scope: string }
  | { error: 'invalid_request' | 'invalid_client'; description: string }

export function createOperatorTokens(
  { db, clock, cipher }: { db: Database; clock: Clock; cipher: Sealer },
  issuer: TokenIssue,
): OperatorTokens {
  async function authenticate(clientId: string, clientSecret: string): Promise<OperatorCredential | undefined> {
    const credential = isValidClientId(clientId) ? await findOperatorCredential(db, cipher, clientId) : undefined
    if (credential === undefined || credential.disabledAt !== null) return undefined
    if (hasCredentialExpired(credential, clock.now())) return undefined
    return matchesClientSecret(clientSecret, credential.secretHash) ? credential : undefined
  }

  return {
    audience: issuer.audience,
    async issue(request, { address }) {
      const credential = await authenticate(request.clientId, request.clientSecret)
      if (credential === undefined)
        return {
          error: 'invalid_client',
          description:
            'The client id or the client secret is wrong, the credentials are disabled, or they have expired. "housebill operator list" lists them.',
        }
      if (!isAllowedFrom(credential, address)) return { error: 'invalid_client', description: wrongAddress }
      const granted = grantedScopes(credential.scopes, request.scope)
      if (granted === undefined)
        return {
          error: 'invalid_request',
          description: `scope must be one or more of these scopes, separated by spaces: ${credential.scopes.join(' ')}`,
        }
      const now = clock.now()
      const { clientId, lastTokenOn } = credential
      const today = now.toISOString().slice(0, 10)
      if (lastTokenOn === null || lastTokenOn < today) await updateOperatorTokenDate(db, clientId, today)
      const issuedAt = Math.floor(now.getTime() / 1_000)
      const scope = granted.join(' ')
      const expiresAt = Math.min(issuedAt + lifetimeSeconds, endOfCredential(credential))
      const accessToken = await signAccessToken(issuer, { clientId, scope, issuedAt, expiresAt })
      return { accessToken, expiresInSeconds: expiresAt - issuedAt, scope }
    },
    async verify(token) {
      const now = clock.now()
      const claims = await readClaims(token, issuer, now)
      if ('rejected' in claims) return claims
      const { clientId, scopes } = claims
      const credential = await findOperatorCredential(db, cipher, clientId)
      if (credential === undefined) return { rejected: 'its client is not registered with this service' }
      if (credential.disabledAt !== null) return { rejected: 'its credentials are disabled' }
      if (hasCredentialExpired(credential, now)) return { rejected: 'its credentials have expired' }
      const { allowedFrom } = credential
      return { clientId, scopes: scopes.filter((scope) => credential.scopes.includes(scope)), allowedFrom, now }
    },
  }
}

async function readClaims(
  token: string,
  { signingKeys, issuer, audience }: TokenIssue,
  now: Date,
): Promise<{ clientId: string; scopes: OperatorScope[] } | { rejected: string }> {
  const foreign = { rejected: 'it was not issued for the operator API or has been altered' }
  if (!isCanonicalToken(token)) return foreign
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(signingKeys.publicKeys), {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience,
      requiredClaims: ['exp', 'iat'],
      currentDate: now,
    })
    if (payload.cnf !== undefined) return bound
    if (!hasPossibleLifetime(payload, { longestLifetimeSeconds: lifetimeSeconds, now }))
      return { rejected: 'it lasts longer than any token of the operator API' }
    if (isFromTheFuture(payload, now)) return fromTheFuture
    const { client_id: clientId, scope } = payload
    if (typeof clientId !== 'string' || typeof scope !== 'string') return foreign
    return { clientId, scopes: scope.split(' ').filter(isOperatorScope) }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { rejected: 'it has expired' }
    if (error instanceof errors.JOSEError) return foreign
    throw error
  }
}

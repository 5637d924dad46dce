import { decodeJwt } from 'jose'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { authenticateClient, type ClientAuthentication, type TokenCallOrigin } from './authenticate-client.ts'
import { isValidClientId } from './client-secret.ts'
import type { Sealer } from './credential-seal.ts'
import { endOfCredential, getsTokens, isAllowedFrom, wrongAddress } from './credential-validity.ts'
import { asProviderUnavailable, type IdentityProvider, type ProviderRejection } from './identity-provider.ts'
import { type Credential, findCredential, updateLastTokenDate } from './partners.store.ts'
import { grantedScopes, type Scope } from './scopes.ts'
import { signAccessToken, type TokenIssue } from './sign-token.ts'
import type { TokenVerifier } from './verify-token.ts'

export type TokenRequest = ClientAuthentication & {
  /** Scopes separated by spaces. If absent, the token gets every scope of the credentials. */
  scope?: string
  /** If given, the token gets only those of these scopes that the credentials have. */
  within?: readonly Scope[]
}

/** A client that has proved itself. */
export type ProvenClient = Pick<Credential, 'clientId' | 'partnerId'>

interface IssuedToken {
  accessToken: string
  expiresInSeconds: number
  scope: string
  client: ProvenClient
}

/** A token, or an RFC 6749 error with a description for the developer. */
export type TokenOutcome = IssuedToken | { error: 'invalid_request' | 'invalid_client'; description: string }

export interface TokenIssuer extends TokenIssue {
  /** How long a new token is valid; at most `longestTokenSeconds`. */
  lifetimeSeconds: number
}

interface IssueDependencies {
  db: Database
  clock: Clock
  cipher: Sealer
  tokenIssuer: TokenIssuer
}

/** Spec: POST /Auth/token. Issues an RFC 9068 JWT access token for valid client credentials. */
export async function issueToken(
  { db, clock, cipher, tokenIssuer }: IssueDependencies,
  request: TokenRequest,
  origin: TokenCallOrigin,
): Promise<TokenOutcome> {
  const authenticated = await authenticateClient({ db, clock, cipher }, request, origin)
  if ('error' in authenticated) return authenticated
  const { credential } = authenticated
  const { within = credential.scopes } = request
  const own = credential.scopes.filter((scope) => within.includes(scope))
  const granted = grantedScopes(own, request.scope)
  if (granted === undefined) {
    return {
      error: 'invalid_request',
      description: `scope must be one or more of these scopes, separated by spaces: ${own.join(' ')}`,
    }
  }
  return signTokenFor({ db, clock, cipher, tokenIssuer }, credential, granted)
}

/**
 * Issues a token with every scope of the credentials, without their secret. The caller has made sure that this is the
 * sandbox's own client, on its reader's machine. Undefined if these credentials get no token at this address.
 */
export async function issueTokenWithoutSecret(
  { db, clock, cipher, tokenIssuer }: IssueDependencies,
  clientId: string,
  { address }: TokenCallOrigin,
): Promise<IssuedToken | undefined> {
  const credential = await findCredential(db, cipher, clientId)
  if (credential === undefined || !getsTokens(credential, clock.now()) || !isAllowedFrom(credential, address))
    return undefined
  return signTokenFor({ db, clock, cipher, tokenIssuer }, credential, credential.scopes)
}

async function signTokenFor(
  { db, clock, tokenIssuer }: IssueDependencies,
  credential: Credential,
  scopes: readonly Scope[],
): Promise<IssuedToken> {
  const now = clock.now()
  const scope = scopes.join(' ')
  await recordLastTokenDay(db, credential, now)
  const issuedAt = Math.floor(now.getTime() / 1000)
  const expiresAt = Math.min(issuedAt + tokenIssuer.lifetimeSeconds, endOfCredential(credential))
  const { clientId, tokenGeneration } = credential
  const accessToken = await signAccessToken(tokenIssuer, {
    clientId,
    scope,
    tokenGeneration,
    issuedAt,
    expiresAt,
  })
  return { accessToken, expiresInSeconds: expiresAt - issuedAt, scope, client: credential }
}

interface ExchangeDependencies {
  db: Database
  clock: Clock
  cipher: Sealer
  identityProvider: IdentityProvider
  tokenVerifier: TokenVerifier
  audience: string
}

/** How long a client should wait before a retry if the operator has to correct the settings first. */
const unusableTokenRetrySeconds = 60

/**
 * Spec: POST /Auth/token, with an external identity provider that checks the secret and issues the token. Returns a
 * token only if later calls will accept it: the client must be registered here and the token must pass the same checks.
 * Throws
 * `service_unavailable` if the provider does not respond or issues a token that would be rejected.
 */
export async function exchangeCredentials(
  { db, clock, cipher, identityProvider, tokenVerifier, audience }: ExchangeDependencies,
  request: TokenRequest,
  { address }: Pick<TokenCallOrigin, 'address'>,
): Promise<TokenOutcome> {
  if (!isValidClientId(request.clientId)) return rejectedBy({ rejected: 'invalid_client', code: 'invalid_client' })
  const response = await identityProvider.requestToken({ ...request, audience }).catch((error: unknown) => {
    throw asProviderUnavailable(error)
  })
  if ('rejected' in response) return rejectedBy(response)

  const credential = await findCredential(db, cipher, request.clientId)
  if (credential === undefined) {
    return {
      error: 'invalid_client',
      description:
        'The identity provider knows this client id, but it is not registered with this service. Ask the operator.',
    }
  }
  const now = clock.now()
  if (!getsTokens(credential, now)) {
    return { error: 'invalid_client', description: 'This client is disabled in this service. Ask the operator.' }
  }
  if (!isAllowedFrom(credential, address)) return { error: 'invalid_client', description: wrongAddress }
  const grant = await tokenVerifier.verify(response.accessToken)
  if ('rejected' in grant) {
    throw new DomainError(
      'service_unavailable',
      `This service cannot use the token that the identity provider issued (${grant.rejected}). Ask the operator to check the identity provider's settings.`,
      { retryAfterSeconds: unusableTokenRetrySeconds },
    )
  }
  await recordLastTokenDay(db, credential, now)
  const untilExpiry = (decodeJwt(response.accessToken).exp ?? 0) - now.getTime() / 1000
  return {
    accessToken: response.accessToken,
    expiresInSeconds: Math.max(0, Math.floor(response.lifetimeSeconds ?? untilExpiry)),
    scope: grant.scopes.join(' '),
    client: credential,
  }
}

function rejectedBy({ rejected, code }: ProviderRejection): TokenOutcome {
  return rejected === 'invalid_client'
    ? {
        error: 'invalid_client',
        description:
          'The identity provider rejected the client id or the client secret. Check both, and make sure that they belong to this environment.',
      }
    : {
        error: 'invalid_request',
        description: `The identity provider rejected the request (${code}). Check that the client is allowed tokens for this audience and scope.`,
      }
}

/**
 * Records that the credentials were used today (UTC), so that the operator can find unused ones. Writes at most once a
 * day.
 */
async function recordLastTokenDay(db: Database, credential: Credential, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10)
  if (credential.lastTokenOn === null || credential.lastTokenOn < today)
    await updateLastTokenDate(db, credential, today)
}

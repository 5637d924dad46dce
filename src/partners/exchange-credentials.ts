import { decodeJwt } from 'jose'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { TokenCallOrigin } from './authenticate-client.ts'
import { isValidClientId } from './client-id.ts'
import { hasCredentialExpired, isAllowedFrom, wrongAddress } from './credential-validity.ts'
import { asProviderUnavailable, type IdentityProvider, type ProviderRejection } from './identity-provider.ts'
import type { TokenOutcome, TokenRequest } from './issue-token.ts'
import { findCredential } from './partners.store.ts'
import { recordLastTokenDay } from './record-last-token-day.ts'
import type { TokenVerifier } from './verify-token.ts'

interface ExchangeDependencies {
  db: Database
  clock: Clock
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
  { db, clock, identityProvider, tokenVerifier, audience }: ExchangeDependencies,
  request: TokenRequest,
  { address }: Pick<TokenCallOrigin, 'address'>,
): Promise<TokenOutcome> {
  if (!isValidClientId(request.clientId)) return rejectedBy({ rejected: 'invalid_client', code: 'invalid_client' })
  const response = await identityProvider.requestToken({ ...request, audience }).catch((error: unknown) => {
    throw asProviderUnavailable(error)
  })
  if ('rejected' in response) return rejectedBy(response)

  const credential = await findCredential(db, request.clientId)
  if (credential === undefined) {
    return {
      error: 'invalid_client',
      description:
        'The identity provider knows this client id, but it is not registered with this service. Ask the operator.',
    }
  }
  const now = clock.now()
  if (credential.partnerDisabledAt !== null || hasCredentialExpired(credential, now)) {
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

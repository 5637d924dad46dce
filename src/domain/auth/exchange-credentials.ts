import { decodeJwt } from 'jose'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { DomainError } from '../../kernel/errors.ts'
import { isSpeltAsClientId } from './client-id.ts'
import { hasEnded } from './credential-period.ts'
import { asProviderUnavailable, type IdentityProvider, type ProviderRefusal } from './identity-provider.ts'
import type { TokenOutcome, TokenRequest } from './issue-token.ts'
import { noteTokenDay } from './note-token-day.ts'
import { findCredential } from './partners.store.ts'
import type { TokenVerifier } from './verify-token.ts'

interface ExchangeDependencies {
  db: Database
  clock: Clock
  identityProvider: IdentityProvider
  tokenVerifier: TokenVerifier
  audience: string
}

/** An operator has to act before another try can succeed. */
const unusableTokenRetrySeconds = 60

/**
 * Spec: POST /Auth/token, with an external identity provider: it checks the secret and issues the token. What we hand out works
 * here: its client is registered, and it passes the checks that every later call makes. Throws `service_unavailable` where the
 * provider gives no answer, or a token that would be refused.
 */
export async function exchangeCredentials(
  { db, clock, identityProvider, tokenVerifier, audience }: ExchangeDependencies,
  request: TokenRequest,
): Promise<TokenOutcome> {
  if (!isSpeltAsClientId(request.clientId)) return refusedBy({ refused: 'invalid_client', code: 'invalid_client' })
  if (request.audience !== undefined && request.audience !== audience) {
    return { error: 'invalid_request', description: `audience must be ${audience}` }
  }
  const answer = await identityProvider.requestToken({ ...request, audience }).catch((error: unknown) => {
    throw asProviderUnavailable(error)
  })
  if ('refused' in answer) return refusedBy(answer)

  const credential = await findCredential(db, request.clientId)
  if (credential === undefined) {
    return {
      error: 'invalid_client',
      description:
        'The identity provider knows this client id, but it is not registered with this service. Ask the operator.',
    }
  }
  const now = clock.now()
  if (credential.partnerDisabledAt !== null || hasEnded(credential, now)) {
    return { error: 'invalid_client', description: 'This client is disabled in this service. Ask the operator.' }
  }
  const grant = await tokenVerifier.verify(answer.accessToken)
  if ('refused' in grant) {
    throw new DomainError(
      'service_unavailable',
      `This service cannot use the token that the identity provider issued (${grant.refused}). Ask the operator to check the identity provider's settings.`,
      { retryAfterSeconds: unusableTokenRetrySeconds },
    )
  }
  await noteTokenDay(db, credential, now)
  const untilExpiry = (decodeJwt(answer.accessToken).exp ?? 0) - now.getTime() / 1000
  return {
    accessToken: answer.accessToken,
    expiresInSeconds: Math.max(0, Math.floor(answer.lifetimeSeconds ?? untilExpiry)),
    scope: grant.scopes.join(' '),
  }
}

function refusedBy({ refused, code }: ProviderRefusal): TokenOutcome {
  return refused === 'invalid_client'
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

import { DomainError } from '../platform/kernel/errors.ts'
import { UpstreamFailure } from '../platform/kernel/upstream-failure.ts'
import type { VerificationKeys } from './verification-key.ts'

/**
 * An external identity provider. It keeps the partners' secrets, issues their tokens and publishes its signing keys.
 */
export interface IdentityProvider extends VerificationKeys {
  /**
   * Exchanges client credentials for an access token. Throws `UpstreamFailure` if the provider returns no usable
   * response.
   */
  requestToken(request: ProviderTokenRequest): Promise<ProviderToken | ProviderRejection>
}

interface ProviderTokenRequest {
  clientId: string
  clientSecret: string
  /** The audience to request the token for. */
  audience: string
  /** Scopes separated by spaces. If absent, the provider grants its default scopes. */
  scope?: string
}

interface ProviderToken {
  accessToken: string
  /** The lifetime of the token; undefined if the provider does not state it. */
  lifetimeSeconds: number | undefined
}

export interface ProviderRejection {
  /** What the provider rejected: the credentials, or something else in the request. */
  rejected: 'invalid_client' | 'invalid_request'
  /**
   * The provider's error code (RFC 6749 §5.2), which is safe to show. The provider's error message is never passed on.
   */
  code: string
}

/** The retry time to report if the provider gives none: the time for which a circuit breaker stays open. */
const retryAfterSeconds = 5

/**
 * Turns an `UpstreamFailure` of the identity provider into `service_unavailable`; returns any other error unchanged.
 */
export function asProviderUnavailable(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error
  return new DomainError(
    'service_unavailable',
    'The identity provider cannot be reached at the moment. Retry shortly. Tokens that were used before still work.',
    { retryAfterSeconds: error.retryAfterSeconds ?? retryAfterSeconds, cause: error },
  )
}

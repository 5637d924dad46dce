import { DomainError } from '../../kernel/errors.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { VerificationKeys } from './verification-key.ts'

/** An identity provider outside: it keeps the partners' secrets, issues their tokens and publishes the keys it signs them with. */
export interface IdentityProvider extends VerificationKeys {
  /** Exchanges client credentials for an access token. Throws `UpstreamFailure` where the provider gave no usable answer. */
  requestToken(request: ProviderTokenRequest): Promise<ProviderToken | ProviderRefusal>
}

export interface ProviderTokenRequest {
  clientId: string
  clientSecret: string
  /** The audience the token is to be for. */
  audience: string
  /** Space-separated; absent for what the provider gives by default. */
  scope?: string
}

export interface ProviderToken {
  accessToken: string
  /** Where the provider says it. */
  lifetimeSeconds: number | undefined
}

export interface ProviderRefusal {
  /** The credentials are wrong, or something else about the request. */
  refused: 'invalid_client' | 'invalid_request'
  /** The provider's own code (RFC 6749 §5.2), fit to be shown; never its text. */
  code: string
}

/** Where the provider says nothing: as long as a broken connection is left alone. */
const retryAfterSeconds = 5

/** A provider that gave no answer becomes `service_unavailable`; every other error is passed through. */
export function asProviderUnavailable(error: unknown): unknown {
  if (!(error instanceof UpstreamFailure)) return error
  return new DomainError(
    'service_unavailable',
    'The identity provider cannot be reached at the moment. Retry shortly. Tokens that were used before still work.',
    { retryAfterSeconds: error.retryAfterSeconds ?? retryAfterSeconds, cause: error },
  )
}

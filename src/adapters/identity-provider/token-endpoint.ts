import type { IdentityProvider, ProviderRejection } from '../../domain/auth/identity-provider.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { tokenResponses } from './wire.ts'

/** The error codes of RFC 6749 §5.2 and RFC 8707, and one that many providers use. They are safe to show to a partner. */
const knownCodes = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'access_denied',
])
/** Error codes that mean "temporarily unavailable", whatever the status. */
const outageCodes = new Set(['server_error', 'temporarily_unavailable', 'slow_down'])

/**
 * Requests a token in the form that the specification prescribes for identity providers: all parameters, including `audience`, are
 * in the form-encoded body. The worst effect of a retry after a broken connection is an unused token.
 */
export function createTokenRequester(upstream: Upstream, name: string, path: string): IdentityProvider['requestToken'] {
  return async ({ clientId, clientSecret, audience, scope }) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      audience,
      ...(scope === undefined ? {} : { scope }),
    })
    const { status, body } = await upstream.call({
      method: 'POST',
      repeatable: true,
      path,
      body: { form },
      responses: tokenResponses,
      subject: clientId,
    })
    if (status === 200) {
      const { access_token: accessToken, expires_in: lifetime } = body
      return { accessToken, lifetimeSeconds: lifetime === undefined ? undefined : Number(lifetime) }
    }
    if (outageCodes.has(body.error)) {
      throw new UpstreamFailure(name, 'status', `POST ${path} returned ${body.error}`, { statusCode: status })
    }
    return readRejection(status, body.error)
  }
}

/** A 401 always means bad credentials, even if the provider sends `access_denied` or `unauthorized_client` as its error code. */
function readRejection(status: number, error: string): ProviderRejection {
  const refused = status === 401 || error === 'invalid_client' ? 'invalid_client' : 'invalid_request'
  return { refused, code: knownCodes.has(error) ? error : refused }
}

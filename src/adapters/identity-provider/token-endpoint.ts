import type { IdentityProvider, ProviderRejection } from '../../domain/auth/identity-provider.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { tokenAnswers } from './wire.ts'

/** The codes of RFC 6749 §5.2 and RFC 8707, and one many providers use: fit to be shown to a partner. */
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
/** Codes by which a provider says that it cannot answer now, under whichever status. */
const outageCodes = new Set(['server_error', 'temporarily_unavailable', 'slow_down'])

/**
 * Asks for a token as the spec's identity-provider form does: everything in the body, `audience` included, form-encoded. Asking
 * again after a broken connection at worst issues a token nobody uses.
 */
export function requestTokenAt(upstream: Upstream, name: string, path: string): IdentityProvider['requestToken'] {
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
      answers: tokenAnswers,
      subject: clientId,
    })
    if (status === 200) return { accessToken: body.access_token, lifetimeSeconds: body.expires_in }
    if (outageCodes.has(body.error)) {
      throw new UpstreamFailure(name, 'status', `POST ${path} returned ${body.error}`, { statusCode: status })
    }
    return readRefusal(status, body.error)
  }
}

/** A 401 means the credentials, whatever it is called: providers say `access_denied` or `unauthorized_client` as well. */
function readRefusal(status: number, error: string): ProviderRejection {
  const refused = status === 401 || error === 'invalid_client' ? 'invalid_client' : 'invalid_request'
  return { refused, code: knownCodes.has(error) ? error : refused }
}

import { decodeProtectedHeader } from 'jose'
import Type from 'typebox'
import type { Clock } from '../../platform/kernel/clock.ts'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../platform/outbound/upstream.ts'
import type { IdentityProvider, ProviderRejection } from '../identity-provider.ts'
import { readVerificationKey, tokenAlgorithms, type VerificationKey } from '../verification-key.ts'
import { createPublishedKeys, type PublishedKeys } from './published-keys.ts'

/** RFC 6749 §5.1. Scopes are not read here, because the signed token contains them. */
const tokenResponse = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 16_384 }),
  token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
  /** Some providers send text. */
  expires_in: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,12}$' })])),
})

/** RFC 6749 §5.2. */
const tokenError = Type.Object({ error: Type.String({ minLength: 1, maxLength: 200 }) })

/** Providers reject requests with 400 or 401; some use 403 if a client may not have tokens for an audience. */
const tokenResponses = { 200: tokenResponse, 400: tokenError, 401: tokenError, 403: tokenError }

/** RFC 7517 §5. Each key is checked individually, so that one unreadable key does not make the others unusable. */
const keySetResponses = {
  200: Type.Object({ keys: Type.Array(Type.Object({}), { minItems: 1, maxItems: 100 }) }),
}

/**
 * The error codes of RFC 6749 §5.2 and RFC 8707, and one that many providers use. They are safe to show to a partner.
 */
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
 * Requests a token in the form that the specification prescribes for identity providers: all parameters, including
 * `audience`, are in the form-encoded body. The worst effect of a retry after a broken connection is an unused token.
 */
function createTokenRequester(upstream: Upstream, name: string, path: string): IdentityProvider['requestToken'] {
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

/**
 * A 401 always means bad credentials, even if the provider sends `access_denied` or `unauthorized_client` as its error
 * code.
 */
function readRejection(status: number, error: string): ProviderRejection {
  const rejected = status === 401 || error === 'invalid_client' ? 'invalid_client' : 'invalid_request'
  return { rejected, code: knownCodes.has(error) ? error : rejected }
}

export const tokenEndpointName = 'identity-provider-tokens'
export const keySetUpstreamName = 'identity-provider-keys'

/** Separate clients for the two endpoints, so that failures of one never block calls to the other. */
export interface IdentityProviderOptions {
  tokens: Upstream
  tokenPath: string
  keys: Upstream
  keysPath: string
  clock: Clock
}

/** An OAuth 2 provider that issues JWTs: its token endpoint (RFC 6749 §4.4) and its key set (RFC 7517). */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const requestToken = createTokenRequester(options.tokens, tokenEndpointName, options.tokenPath)
  const published = createPublishedKeys({
    read: () => readKeySet(options.keys, options.keysPath),
    clock: options.clock,
  })
  return {
    find: published.find,
    async requestToken(request) {
      const response = await requestToken(request)
      if ('accessToken' in response) expectKeyOf(response.accessToken, published)
      return response
    },
  }
}

/** Fetches the key set and returns the keys in it that can verify tokens. */
async function readKeySet(upstream: Upstream, path: string): Promise<readonly VerificationKey[]> {
  const accept = 'application/jwk-set+json, application/json'
  const { body } = await upstream.call({ path, headers: { accept }, responses: keySetResponses })
  const keys = body.keys.flatMap((jwk) => readVerificationKey(jwk) ?? [])
  if (keys.length > 0) return keys
  throw new UpstreamFailure(keySetUpstreamName, 'wrong-shape', `GET ${path} returned no key that can verify tokens`)
}

/**
 * Reports the key of a token that the provider has just issued. After a rotation, the first token signed with a new key
 * triggers a reload, so that no partner has to wait for the minimum interval.
 */
function expectKeyOf(token: string, published: PublishedKeys): void {
  let header: { alg?: unknown; kid?: unknown }
  try {
    header = decodeProtectedHeader(token)
  } catch {
    // The token is not a JWT; token verification will report that.
    return
  }
  const algorithm = tokenAlgorithms.find((each) => each === header.alg)
  if (algorithm === undefined) return
  published.expect({ algorithm, keyId: typeof header.kid === 'string' ? header.kid : undefined })
}

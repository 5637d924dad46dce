import { decodeProtectedHeader } from 'jose'
import type { IdentityProvider } from '../../domain/auth/identity-provider.ts'
import { readVerificationKey, tokenAlgorithms, type VerificationKey } from '../../domain/auth/verification-key.ts'
import type { Clock } from '../../kernel/clock.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { Upstream } from '../outbound-http/upstream.ts'
import { createPublishedKeys, type PublishedKeys } from './published-keys.ts'
import { createTokenRequester } from './token-endpoint.ts'
import { keySetResponses } from './wire.ts'

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
 * Reports the key of a token that the provider has just issued. After a rotation, the first token signed with a new key triggers a
 * reload, so that no partner has to wait for the minimum interval.
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

import type { Configuration, CustomFetch } from 'openid-client'
import { DomainError } from '../../platform/kernel/errors.ts'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type { Upstream } from '../../platform/outbound/upstream.ts'
import type { OperatorIdentity } from '../operator-identity.ts'

export interface OpenIdSettings {
  issuer: string
  clientId: string
  clientSecret: string
  /** Where the provider sends the browser back to. */
  redirectUri: string
  /** The claim of the ID token that lists roles; undefined if it lists none. */
  rolesClaim: string | undefined
}

/**
 * The operator's identity provider, with the `openid-client` library, whose requests the upstreams send. What the
 * provider says of itself is read at the first sign-in, so that it may be down when the service starts.
 */
export function createOpenIdIdentity(
  settings: OpenIdSettings,
  { open, now }: { open(origin: string): Upstream; now(): Date },
): OperatorIdentity {
  const { issuer, clientId, clientSecret, redirectUri, rolesClaim } = settings
  const upstreams = new Map<string, Upstream>()
  let discovered: Promise<Configuration> | undefined

  const fetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    const { origin, pathname, search } = new URL(url)
    const upstream = upstreams.get(origin) ?? open(origin)
    upstreams.set(origin, upstream)
    const what = `a ${method} request`
    const text = body instanceof URLSearchParams || typeof body === 'string' ? String(body) : null
    const request = { what, method: method as 'GET', target: `${pathname}${search}`, headers, body: text }
    const response = await upstream.guard({ what, repeatable: false, signal: signal ?? undefined }, async (within) => {
      const sent = await upstream.send(request, within)
      if (sent.status < 500) return sent
      throw new UpstreamFailure(upstream.name, 'status', `returned status ${sent.status}`, { statusCode: sent.status })
    })
    const given = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(response.status === 204 ? null : response.text, { status: response.status, headers: given })
  }

  async function configuration(): Promise<Configuration> {
    discovered ??= discover().catch((error: unknown) => {
      discovered = undefined
      const code = libraryCode(error)
      throw code === undefined
        ? error
        : new UpstreamFailure('operator-identity', 'wrong-shape', `unusable metadata: ${code}`)
    })
    return discovered
  }

  async function discover(): Promise<Configuration> {
    const library = await import('openid-client')
    const { allowInsecureRequests, customFetch, enableNonRepudiationChecks } = library
    // The library takes TLS in place of the ID token's signature unless told to check that. Live allows no http issuer.
    const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])]
    const authentication = library.ClientSecretBasic(clientSecret)
    return library.discovery(new URL(issuer), clientId, {}, authentication, { [customFetch]: fetch, execute })
  }

  /** A failure of the provider is no fault of whoever signs in. */
  async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
    return work.catch((error: unknown) => {
      const failure = [error, (error as Error | undefined)?.cause].find((each) => each instanceof UpstreamFailure)
      if (failure === undefined) throw error
      throw new DomainError('service_unavailable', 'The identity provider does not answer. Try again in a moment.', {
        retryAfterSeconds: 5,
        cause: failure,
      })
    })
  }

  return {
    async begin(maxAgeSeconds) {
      const library = await import('openid-client')
      const config = await orUnavailable(configuration())
      const verifier = library.randomPKCECodeVerifier()
      const [state, nonce] = [library.randomState(), library.randomNonce()]
      const url = library.buildAuthorizationUrl(config, {
        ...{ redirect_uri: redirectUri, scope: 'openid profile email', state, nonce, max_age: String(maxAgeSeconds) },
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, expected: { state, nonce, verifier, maxAgeSeconds } }
    },
    async finish(query, { state, nonce, verifier, maxAgeSeconds }) {
      const library = await import('openid-client')
      const config = await orUnavailable(configuration())
      const back = new URL(redirectUri)
      back.search = query.toString()
      try {
        const tokens = await orUnavailable(
          library.authorizationCodeGrant(config, back, {
            ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, maxAge: maxAgeSeconds },
            idTokenExpected: true,
          }),
        )
        const claims = tokens.claims()
        if (claims === undefined) return { rejected: 'no ID token' }
        const { email, name, preferred_username: userName } = claims
        if (typeof email !== 'string') return { rejected: 'no email claim' }
        return {
          subject: `${claims.iss} ${claims.sub}`,
          email,
          name: [name, userName].find((each) => typeof each === 'string') ?? '',
          isEmailVerified: claims.email_verified === true,
          roles: rolesClaim === undefined ? [] : [claims[rolesClaim]].flat().filter((each) => typeof each === 'string'),
          provedAt: typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1_000) : now(),
        }
      } catch (error) {
        if (error instanceof DomainError) throw error
        const code = libraryCode(error)
        if (code === undefined) throw error
        return { rejected: code }
      }
    },
  }
}

/** The code of an error of the library, which contains no token and no claim; undefined for another error. */
function libraryCode(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  if (cause instanceof UpstreamFailure || typeof code !== 'string' || !code.startsWith('OAUTH_')) return undefined
  return code
}

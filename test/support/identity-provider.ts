import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { errors, type KoaContext, Provider } from 'oidc-provider'
import { scopes } from '../../src/partners/scopes.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

interface Client {
  clientId: string
  clientSecret: string
}

/** An OpenID Connect provider on loopback, built with the `oidc-provider` package. */
export interface TestIdentityProvider {
  issuer: string
  tokenUrl: string
  jwksUrl: string
  /** The requests received so far, such as `POST /token`. */
  requests: string[]
  /** Restarts the provider with these keys. It publishes all of them and signs with the first. */
  useKeys(keys: readonly JWK[]): void
  /** Lets this handler respond to every request; undefined restores normal responses. */
  respondWith(handler: Handler | undefined): void
  /** Rejects connections until `comeBack` is called. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  stop(): Promise<void>
}

interface ProviderOptions {
  audience: string
  keys: readonly JWK[]
  clients: readonly Client[]
  lifetimeSeconds?: number
  /** Lets people sign in for a client, who are who this returns at that moment. */
  people?: { redirectUri: string; now(): Record<string, unknown> & { sub: string } }
}

/** Creates a private signing key. */
export async function newSigningKey(kid: string, alg = 'ES256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' }
}

/**
 * Signs a token as the provider would. `claims` and `header` override individual members; undefined removes a member.
 */
export async function signToken(
  key: JWK,
  claims: Record<string, unknown>,
  header: Record<string, unknown> = {},
): Promise<string> {
  const { kid = '', alg = 'ES256' } = key
  const protectedHeader = { alg, typ: 'at+jwt', kid, ...header }
  return new SignJWT(claims).setProtectedHeader(protectedHeader).sign(await importJWK(key, alg))
}

export async function startIdentityProvider(options: ProviderOptions): Promise<TestIdentityProvider> {
  const requests: string[] = []
  let own: Handler | undefined
  let scripted: Handler | undefined
  const handle: Handler = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    // In some of these tests the client closes the connection on purpose.
    response.on('error', () => undefined)
    return (scripted ?? own)?.(request, response)
  }
  let { server, port } = await listen(handle, 0)
  const issuer = `http://127.0.0.1:${port}`
  own = handlerOf(issuer, options)
  const goDown = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    issuer,
    tokenUrl: `${issuer}/token`,
    jwksUrl: `${issuer}/jwks`,
    requests,
    useKeys(keys) {
      own = handlerOf(issuer, { ...options, keys })
    },
    respondWith(handler) {
      scripted = handler
    },
    goDown,
    async comeBack() {
      ;({ server, port } = await listen(handle, port))
    },
    stop: goDown,
  }
}

async function listen(handle: Handler, requestedPort: number): Promise<{ server: Server; port: number }> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(requestedPort, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * Like many providers, oidc-provider supports `resource` (RFC 8707) but not `audience`, so the audience is passed as
 * the resource.
 */
function handlerOf(issuer: string, options: ProviderOptions): Handler {
  const { audience, keys, clients, lifetimeSeconds = 3_600, people } = options
  const alg = keys[0]?.alg ?? 'ES256'
  const provider = new Provider(issuer, {
    clients: clients.map(({ clientId, clientSecret }) => ({
      client_id: clientId,
      client_secret: clientSecret,
      ...(people === undefined
        ? { grant_types: ['client_credentials'], response_types: [], redirect_uris: [] }
        : { grant_types: ['authorization_code'], response_types: ['code'], redirect_uris: [people.redirectUri] }),
      token_endpoint_auth_method: people === undefined ? 'client_secret_post' : 'client_secret_basic',
      id_token_signed_response_alg: alg,
    })),
    jwks: { keys },
    scopes: [...scopes, 'openid', 'profile', 'email'],
    ...(people === undefined ? {} : signingIn(people)),
    ttl: { ClientCredentials: lifetimeSeconds },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: people === undefined,
        defaultResource: (ctx) => ctx.oidc.body?.audience,
        getResourceServerInfo(_ctx, resource) {
          if (resource !== audience) throw new errors.InvalidTarget()
          return {
            scope: [...scopes, 'email'].join(' '),
            audience,
            accessTokenTTL: lifetimeSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: alg } },
          }
        },
      },
    },
  })
  const callback = provider.callback()
  // Signs in whoever it is at present, without asking.
  return (request, response) =>
    people !== undefined && request.url?.startsWith('/interaction/')
      ? provider.interactionFinished(request, response, { login: { accountId: people.now().sub } })
      : callback(request, response)
}

function signingIn({ now }: NonNullable<ProviderOptions['people']>) {
  return {
    claims: { openid: ['sub', 'roles', 'auth_time'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: async (_ctx: KoaContext, accountId: string) => ({ accountId, claims: async () => now() }),
    interactions: { url: (_ctx: KoaContext, { uid }: { uid: string }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc: { session, client, provider } }: KoaContext) {
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
      grant.addOIDCScope('openid profile email')
      await grant.save()
      return grant
    },
  }
}

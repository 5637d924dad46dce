/** The parts of oidc-provider that tests use. The package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  import type { JWK } from 'jose'

  export interface KoaContext {
    oidc: {
      body?: Record<string, unknown>
      session: { accountId: string }
      client: { clientId: string }
      provider: Provider
    }
  }

  export interface ResourceServer {
    scope: string
    audience: string
    accessTokenTTL: number
    accessTokenFormat: 'jwt' | 'opaque'
    jwt: { sign: { alg: string } }
  }

  export interface Configuration {
    clients: readonly Record<string, unknown>[]
    claims?: Record<string, readonly string[]>
    conformIdTokenClaims?: boolean
    findAccount?(
      ctx: KoaContext,
      id: string,
    ): Promise<{ accountId: string; claims(): Promise<Record<string, unknown>> }>
    loadExistingGrant?(ctx: KoaContext): Promise<unknown>
    interactions?: { url(ctx: KoaContext, interaction: { uid: string }): string }
    jwks: { keys: readonly JWK[] }
    scopes: readonly string[]
    ttl: { ClientCredentials: number }
    cookies: { keys: readonly string[] }
    features: {
      devInteractions: { enabled: boolean }
      clientCredentials: { enabled: boolean }
      resourceIndicators: {
        enabled: boolean
        defaultResource(ctx: KoaContext): unknown
        getResourceServerInfo(ctx: KoaContext, resource: string): ResourceServer
      }
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration)
    readonly Grant: new (of: {
      accountId: string
      clientId: string
    }) => {
      addOIDCScope(scope: string): void
      save(): Promise<string>
    }
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: unknown): Promise<void>
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }

  export const errors: { InvalidTarget: new (description?: string) => Error }
}

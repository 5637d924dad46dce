import type { FastifyInstance, FastifyReply } from 'fastify'
import type { TokenIssuer } from './issue-token.ts'
import { revocationPath } from './revocation/revoke-token.route.ts'
import { scopes } from './scopes.ts'

/** How long published keys and metadata may be cached. */
export const discoveryMaxAgeSeconds = 300

/** How a client can authenticate at the token and revocation endpoints. */
const authenticationMethods = ['client_secret_basic', 'client_secret_post']

/** The embedded identity provider's public keys and metadata (RFC 7517, RFC 8414). */
export function registerDiscoveryRoutes(
  app: FastifyInstance,
  { signingKeys, issuer }: TokenIssuer,
  publicUrl: string,
): void {
  /** Sends a cacheable document. Errors, such as an exceeded rate limit, must not be cached. */
  async function publish(reply: FastifyReply, document: object): Promise<FastifyReply> {
    return reply.header('Cache-Control', `public, max-age=${discoveryMaxAgeSeconds}`).send(document)
  }

  app.get('/.well-known/jwks.json', (_request, reply) => publish(reply, signingKeys.publicKeys))
  app.get('/.well-known/oauth-authorization-server', (_request, reply) =>
    publish(reply, {
      issuer,
      token_endpoint: `${publicUrl}/oauth/token`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: authenticationMethods,
      revocation_endpoint: `${publicUrl}${revocationPath}`,
      revocation_endpoint_auth_methods_supported: authenticationMethods,
      scopes_supported: scopes,
      service_documentation: `${publicUrl}/docs`,
    }),
  )
}

import type { FastifyInstance } from 'fastify'
import type { TokenIssuer } from '../../../domain/auth/issue-token.ts'
import { scopes } from '../../../domain/auth/scopes.ts'

/** The embedded identity provider's published keys and metadata (RFC 7517, RFC 8414). */
export function registerDiscoveryRoutes(
  app: FastifyInstance,
  { signingKeys, issuer }: TokenIssuer,
  publicUrl: string,
): void {
  app.get('/.well-known/jwks.json', (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=300').send(signingKeys.publicKeys),
  )
  app.get('/.well-known/oauth-authorization-server', (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=300').send({
      issuer,
      token_endpoint: `${publicUrl}/oauth/token`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      scopes_supported: scopes,
      service_documentation: `${publicUrl}/docs`,
    }),
  )
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientAddressOf } from '../platform/http/client-address.ts'
import { networkOf } from '../platform/http/plugins/network-of.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { RateLimit } from './http/rate-limit.ts'
import type { TokenIssuer } from './issue-token.ts'
import { revocationPath } from './revocation/revoke-token.route.ts'
import { scopes } from './scopes.ts'

/** How long published keys and metadata may be cached. */
export const discoveryMaxAgeSeconds = 300

/** How a client can authenticate at the token and revocation endpoints. */
const authenticationMethods = ['client_secret_basic', 'client_secret_post']

interface Discovery {
  publicUrl: string
  /** The limit on requests from each IP address. */
  limit: RateLimit
  cipher: Pick<FieldCipher, 'hash'>
}

/** The embedded identity provider's public keys and metadata (RFC 7517, RFC 8414). */
export function registerDiscoveryRoutes(
  app: FastifyInstance,
  { signingKeys, issuer }: TokenIssuer,
  { publicUrl, limit, cipher }: Discovery,
): void {
  /** Sends a cacheable document. Errors, such as an exceeded rate limit, must not be cached. */
  async function publish(request: FastifyRequest, reply: FastifyReply, document: object): Promise<FastifyReply> {
    await limit.consume(cipher.hash(networkOf(clientAddressOf(request))), reply)
    return reply.header('Cache-Control', `public, max-age=${discoveryMaxAgeSeconds}`).send(document)
  }

  app.get('/.well-known/jwks.json', (request, reply) => publish(request, reply, signingKeys.publicKeys))
  app.get('/.well-known/oauth-authorization-server', (request, reply) =>
    publish(request, reply, {
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

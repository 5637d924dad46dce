import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AccessDependencies } from '../../partners/access-dependencies.ts'
import { issueTokenWithoutSecret } from '../../partners/issue-token.ts'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { logSecurityEvent } from '../../platform/http/plugins/access-log.ts'
import { DomainError } from '../../platform/kernel/errors.ts'

const path = '/docs/reference/token'
const lifetimeSeconds = 15 * 60

/**
 * Serves the token with which the reference sends its requests, to that page only, and returns where. Undefined if an
 * external provider issues the tokens. `clientIdHere` is the client id of a sandbox on the reader's own machine.
 */
export function registerReferenceToken(
  app: FastifyInstance,
  { databases, clock, cipher, tokenSource }: Pick<AccessDependencies, 'databases' | 'clock' | 'cipher' | 'tokenSource'>,
  at: { publicUrl: string; clientIdHere: (request: FastifyRequest) => string | undefined },
): string | undefined {
  if (!('embedded' in tokenSource)) return undefined
  const tokenIssuer = { ...tokenSource.embedded, lifetimeSeconds }
  const { origin } = new URL(at.publicUrl)
  app.post(path, async (request, reply) => {
    const clientId = at.clientIdHere(request)
    if (clientId === undefined) throw new DomainError('not_found', 'Only a sandbox on your own machine has this.')
    if (request.headers.origin !== origin)
      return reply.code(403).type('text/plain').send(`Only ${origin}/docs/reference gets this token. Open that page.`)
    const own = { db: databases.system, clock, cipher, tokenIssuer }
    const issued = await issueTokenWithoutSecret(own, clientId, { address: clientAddressOf(request) })
    if (issued === undefined) throw new DomainError('not_found', 'The sandbox has no client that gets tokens.')
    logSecurityEvent(request, 'token.issued', { clientId, partnerId: issued.client.partnerId })
    const { accessToken, expiresInSeconds } = issued
    return reply.header('Cache-Control', 'no-store').send({ access_token: accessToken, expires_in: expiresInSeconds })
  })
  return path
}

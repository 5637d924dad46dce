import type { FastifyInstance } from 'fastify'
import type { DeploymentServices } from '../../app/http/route-services.ts'
import type { TokenIssuer } from '../issue-token.ts'
import { rejectUnexpected, respondToClient } from '../token-http/client-calls.ts'
import { parseRevocationRequest } from '../token-http/revocation-request.ts'
import type { TokenLimits } from '../token-http/token-limits.ts'
import { revokeToken } from './revoke-token.ts'

export const revocationPath = '/partner-api/Auth/revoke'

/**
 * POST /Auth/revoke (RFC 7009), for tokens of the embedded identity provider. It has the limits of the token
 * operations.
 */
export function registerRevocationRoute(
  app: FastifyInstance,
  { databases, ...services }: DeploymentServices,
  { tokenIssuer, limits }: { tokenIssuer: TokenIssuer; limits: TokenLimits },
): void {
  const deps = { ...services, ...tokenIssuer, db: databases.system }
  const route = { errorHandler: rejectUnexpected, config: { operationId: 'revokeToken' } }
  app.post(revocationPath, route, (request, reply) =>
    respondToClient(
      { request, reply, limits },
      {
        event: 'token.revoked',
        parse: (call) => parseRevocationRequest({ ...call, allowsBasic: true }),
        run: async (revocation, origin) => {
          const outcome = await revokeToken(deps, revocation, origin)
          return 'error' in outcome ? outcome : { ...outcome, body: {} }
        },
      },
    ),
  )
}

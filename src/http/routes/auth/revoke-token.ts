import type { FastifyInstance } from 'fastify'
import type { TokenIssuer } from '../../../domain/auth/issue-token.ts'
import { revokeToken } from '../../../domain/auth/revocation/revoke-token.ts'
import type { DeploymentServices } from '../../services.ts'
import { rejectUnexpected, respondToClient } from './client-calls.ts'
import { parseRevocationRequest } from './revocation-request.ts'
import type { TokenLimits } from './token-limits.ts'

export const revocationPath = '/partner-api/Auth/revoke'

/** POST /Auth/revoke (RFC 7009), for tokens of the embedded identity provider. It has the limits of the token operations. */
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

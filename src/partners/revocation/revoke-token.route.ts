import type { FastifyInstance } from 'fastify'
import type { AccessDependencies } from '../access-dependencies.ts'
import type { TokenIssuer } from '../issue-token.ts'
import { rejectUnexpected, respondToClient } from '../token-http/client-calls.ts'
import { type InvalidRequest, parseClientRequest, type RawClientRequest } from '../token-http/client-request.ts'
import type { TokenLimits } from '../token-http/token-limits.ts'
import { type RevocationRequest, revokeToken } from './revoke-token.ts'

export const revocationPath = '/partner-api/Auth/revoke'

/**
 * POST /Auth/revoke (RFC 7009), for tokens of the embedded identity provider. It has the limits of the token
 * operations.
 */
export function registerRevocationRoute(
  app: FastifyInstance,
  { databases, ...rest }: AccessDependencies,
  { tokenIssuer, limits }: { tokenIssuer: TokenIssuer; limits: TokenLimits },
): void {
  const deps = { ...rest, ...tokenIssuer, db: databases.system }
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

type ParsedRevocationRequest = { request: RevocationRequest; usedBasic: boolean } | InvalidRequest

/** Parses a revocation request (RFC 7009 §2.1). The hint is ignored, because all tokens are access tokens. */
function parseRevocationRequest(call: RawClientRequest): ParsedRevocationRequest {
  const parsed = parseClientRequest(call, ['token'])
  if ('error' in parsed) return parsed
  const { parameters, usedBasic, client } = parsed
  const invalid = (description: string) => ({ error: 'invalid_request' as const, description, usedBasic })
  if ('missing' in client) return invalid(`${client.missing} is missing`)
  const token = parameters.get('token')
  if (token === undefined) return invalid('token is missing: send the access token that you want to revoke')
  return { usedBasic, request: { ...client, token } }
}

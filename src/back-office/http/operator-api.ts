import type { FastifyInstance } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import type { RateLimit } from '../../partners/http/rate-limit.ts'
import type { OperatorTokens } from '../../partners/operators/operator-tokens.ts'
import { rejectUnexpected, respondToClient } from '../../partners/token-http/client-calls.ts'
import type { TokenLimits } from '../../partners/token-http/token-limits.ts'
import { parseTokenRequest } from '../../partners/token-http/token-request.ts'
import type { DocumentedErrors } from '../../platform/openapi/document.ts'
import { buildOperatorDocument } from './operator-document.ts'
import type { OperatorRoute } from './operator-route.ts'
import { operatorPrefix, registerOperatorRoute } from './register-operator-route.ts'

/** Registers the API of the operator's own software, which has these operations, and its description. */
export function registerOperatorApi(
  app: FastifyInstance,
  deps: DeploymentDependencies,
  routes: readonly OperatorRoute[],
  {
    limits,
    calls,
    ...server
  }: {
    publicUrl: string
    errors: DocumentedErrors
    webhookRetrySeconds: readonly number[]
    limits: TokenLimits
    calls: RateLimit
  },
): void {
  registerOperatorToken(app, deps, limits)
  for (const route of routes) registerOperatorRoute(app, route, deps, calls)
  const document = JSON.stringify(buildOperatorDocument(routes, { ...server, realm: deps.realm }))
  app.get(`${operatorPrefix}/openapi.json`, (_request, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(document),
  )
}

/**
 * POST /operator-api/Auth/token: exchanges an operator's client id and secret for a token, in any form of the partner
 * API's token call.
 */
function registerOperatorToken(
  app: FastifyInstance,
  { operatorTokens }: { operatorTokens: OperatorTokens },
  limits: TokenLimits,
): void {
  const config = { operationId: 'issueOperatorToken' }
  app.post(`${operatorPrefix}/Auth/token`, { errorHandler: rejectUnexpected, config }, (request, reply) =>
    respondToClient(
      { request, reply, limits },
      {
        event: 'token.issued',
        parse: (call) => parseTokenRequest({ ...call, allowsBasic: true, audience: operatorTokens.audience }),
        async run(asked, origin) {
          if ('assertion' in asked)
            return { error: 'invalid_client', description: 'Operator credentials have a secret: send client_secret.' }
          const outcome = await operatorTokens.issue(asked, origin)
          if ('error' in outcome) return outcome
          const { accessToken, expiresInSeconds, scope } = outcome
          return {
            client: { clientId: asked.clientId },
            body: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresInSeconds, scope },
          }
        },
      },
    ),
  )
}

import type { FastifyInstance } from 'fastify'
import type { DeploymentServices } from '../../app/http/route-services.ts'
import type { RateLimit } from '../../partners/http/rate-limit.ts'
import type { TokenLimits } from '../../partners/token-http/token-limits.ts'
import { buildOperatorDocument } from './operator-document.ts'
import { operatorRoutes } from './operator-table.ts'
import { registerOperatorToken } from './operator-token.ts'
import { operatorPrefix, registerOperatorRoute } from './register-operator-route.ts'

/** Registers the API of the operator's own software, and its description. */
export function registerOperatorApi(
  app: FastifyInstance,
  services: DeploymentServices,
  {
    limits,
    calls,
    ...server
  }: { publicUrl: string; webhookRetrySeconds: readonly number[]; limits: TokenLimits; calls: RateLimit },
): void {
  registerOperatorToken(app, services, limits)
  for (const route of operatorRoutes) registerOperatorRoute(app, route, services, calls)
  const document = JSON.stringify(buildOperatorDocument(operatorRoutes, { ...server, realm: services.realm }))
  app.get(`${operatorPrefix}/openapi.json`, (_request, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(document),
  )
}

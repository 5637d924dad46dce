import acceptsPlugin from '@fastify/accepts'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { DomainError } from '../domain/kernel/errors.ts'
import { buildOpenApiDocument } from './openapi/document.ts'
import { bodyLimitBytes, installRawBodies } from './plugins/body.ts'
import { installErrorHandler, sendProblem } from './plugins/error-handler.ts'
import { watchMethods } from './plugins/method-not-allowed.ts'
import { createRateLimit } from './plugins/rate-limit.ts'
import { requestIdOf } from './plugins/request-id.ts'
import { registerRoute } from './register-route.ts'
import { registerDiscoveryRoutes } from './routes/auth/discovery.ts'
import { registerTokenRoutes } from './routes/auth/issue-token.ts'
import { registerContractRoutes } from './routes/contracts/view.ts'
import { registerDocsRoutes } from './routes/docs/docs-pages.ts'
import { registerErrorPages } from './routes/docs/error-pages.ts'
import { registerHealthRoutes } from './routes/health.ts'
import { registerProcessorWebhook } from './routes/processor-webhooks/stripe.ts'
import { routes } from './routes/table.ts'
import type { Services } from './services.ts'

export interface ServerOptions {
  realm: 'sandbox' | 'live'
  publicUrl: string
  trustedProxies: readonly string[]
  rateLimits: { requestsPerSecond: number; tokensPerMinute: number }
  logger: FastifyBaseLogger
  /** True from the moment a stop was asked for: readiness then says no. */
  isStopping: () => boolean
  /** Pages only a sandbox has, such as the card page. */
  sandboxPages?: (app: FastifyInstance) => Promise<void>
}

/** Builds the server: the same shape in sandbox and live, with its dependencies handed in. Listening is the caller's. */
export async function buildServer(services: Services, options: ServerOptions): Promise<FastifyInstance> {
  const { publicUrl, realm } = options
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: requestIdOf,
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The access log is ours: Fastify's own would write the URL, and a URL may carry a link token.
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions: { caseSensitive: false, maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply, publicUrl)
    },
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
  })
  await app.register(acceptsPlugin)
  installRawBodies(app)
  installErrorHandler(app, publicUrl)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request
    const operation = request.routeOptions.url ?? 'unknown path'
    request.log.info({ method, operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request')
  })
  const refuseOtherMethods = watchMethods(app)

  registerTokenRoutes(app, services, createRateLimit('token', options.rateLimits.tokensPerMinute, 60))
  registerDiscoveryRoutes(app, services, publicUrl)
  const partnerLimit = createRateLimit('default', options.rateLimits.requestsPerSecond, 1)
  const offered = routes.filter((route) => realm === 'sandbox' || !route.sandboxOnly)
  for (const route of offered) registerRoute(app, route, services, partnerLimit)
  registerContractRoutes(app, services)
  registerProcessorWebhook(app, services)
  registerHealthRoutes(app, services, options.isStopping)
  registerErrorPages(app)
  registerDocsRoutes(app, buildOpenApiDocument(offered, { publicUrl, realm }))
  if (realm === 'sandbox') await options.sandboxPages?.(app)
  refuseOtherMethods()

  app.setNotFoundHandler((request, reply) => {
    const error = new DomainError(
      'not_found',
      'No operation has this path. Check its spelling against the API reference at /docs.',
    )
    return sendProblem(error, request, reply, publicUrl)
  })
  return app
}

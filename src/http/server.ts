import acceptsPlugin from '@fastify/accepts'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { CallCounters } from '../domain/rate-limits/call-counter.ts'
import { DomainError } from '../kernel/errors.ts'
import { applyLimits, type Certificate, listenerOptions } from './listener.ts'
import { buildOpenApiDocument } from './openapi/document.ts'
import { registerConsole } from './pages/console/console-pages.ts'
import { refuseAmbiguousRequests } from './plugins/ambiguous-request.ts'
import { bodyLimitBytes, installRawBodies } from './plugins/body.ts'
import { installDrain } from './plugins/drain.ts'
import { installErrorHandler, sendProblem } from './plugins/error-handler.ts'
import { isForeignMethod, methodsTaken, watchMethods } from './plugins/method-not-allowed.ts'
import { createRateLimit } from './plugins/rate-limit.ts'
import { requestIdOf } from './plugins/request-id.ts'
import { installRequestMetrics, type RequestMetrics } from './plugins/request-metrics.ts'
import { installTraceContext } from './plugins/trace-context.ts'
import { refuseUnreadable } from './plugins/unreadable-request.ts'
import { type RouteLimits, registerRoute } from './register-route.ts'
import { registerDiscoveryRoutes } from './routes/auth/discovery.ts'
import { registerTokenRoutes } from './routes/auth/issue-token.ts'
import { createTokenLimits } from './routes/auth/token-limits.ts'
import { registerContractRoutes } from './routes/contracts/view.ts'
import { registerDocsRoutes } from './routes/docs/docs-pages.ts'
import { registerErrorPages } from './routes/docs/error-pages.ts'
import { registerHealthRoutes } from './routes/health.ts'
import { type MetricsPage, registerMetrics } from './routes/metrics.ts'
import { registerProcessorWebhook } from './routes/processor-webhooks/stripe.ts'
import { routes } from './routes/table.ts'
import { securityHeaders } from './security-headers.ts'
import { defaultServerLimits, type ServerLimits } from './server-limits.ts'
import type { DeploymentServices } from './services.ts'

export interface ServerOptions {
  realm: 'sandbox' | 'live'
  publicUrl: string
  /** The pauses between attempts of a webhook delivery, as the API document tells them. */
  webhookRetrySeconds: readonly number[]
  trustedProxies: readonly string[]
  rateLimits: { requestsPerSecond: number; tokensPerMinute: number; broadbandChecksPerMinute: number }
  /** Where calls are counted. */
  callCounters: CallCounters
  logger: FastifyBaseLogger
  /** Serves HTTPS in this process, and nothing else on its port. */
  certificate?: Certificate | undefined
  limits?: Partial<ServerLimits> | undefined
  /** True from the moment a stop was asked for: readiness then says no. */
  isStopping: () => boolean
  /** What is counted, and shown to these peers. */
  metrics: RequestMetrics & MetricsPage
  metricsPeers: readonly string[]
  /** Pages only a sandbox has, such as the card page. */
  sandboxPages?: (app: FastifyInstance) => Promise<void>
}

/** The server, and the way to stop it without cutting a request off. */
export interface Server {
  app: FastifyInstance
  close(): Promise<void>
}

/** Builds the server: the same shape in sandbox and live, with its dependencies handed in. Listening is the caller's. */
export async function buildServer(services: DeploymentServices, options: ServerOptions): Promise<Server> {
  const { publicUrl, realm } = options
  const limits = { ...defaultServerLimits, ...options.limits }
  const headersOfAll = securityHeaders(publicUrl)
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: requestIdOf,
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // The access log is ours: Fastify's own would write the URL, and a URL may carry a link token.
    logController: new LogController({ disableRequestLogging: true }),
    // Longer than a request line can be: an id of any length is looked at like every other, and is unknown.
    routerOptions: { caseSensitive: false, maxParamLength: 20_000 },
    // Ours is put on the server below, with all that belongs to it.
    clientErrorHandler: () => undefined,
    // These come before any hook.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOfAll).header('X-Request-Id', request.id)
      sendProblem(error, request, reply, publicUrl)
    },
    ...listenerOptions(limits, options.certificate),
    forceCloseConnections: 'idle',
    // A request that still arrives on a connection whose last answer is under way is served, and told that it was the last.
    return503OnClosing: false,
  })
  applyLimits(app.server, limits)
  refuseUnreadable(app.server, { publicUrl, limits, log: options.logger })
  // An expectation we do not know is passed over (RFC 9110 §10.1.1 lets us), for the same reason.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const close = installDrain(app)
  await app.register(acceptsPlugin)
  installRawBodies(app)
  installErrorHandler(app, publicUrl)
  installTraceContext(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOfAll).header('X-Request-Id', request.id)
  })
  refuseAmbiguousRequests(app, limits)
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request
    const operation = request.routeOptions.url ?? 'unknown path'
    request.log.info({ method, operation, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request')
  })
  installRequestMetrics(app, options.metrics)
  const refuseOtherMethods = watchMethods(app)

  const { rateLimits, callCounters } = options
  registerTokenRoutes(
    app,
    services,
    createTokenLimits(rateLimits.tokensPerMinute, { counters: callCounters, cipher: services.cipher }),
  )
  if ('embedded' in services.tokenSource)
    registerDiscoveryRoutes(app, services.tokenSource.embedded, {
      publicUrl,
      limit: createRateLimit(
        { name: 'published', quota: rateLimits.requestsPerSecond, windowSeconds: 1 },
        callCounters,
      ),
      cipher: services.cipher,
    })
  const routeLimits: RouteLimits = {
    calls: createRateLimit({ name: 'default', quota: rateLimits.requestsPerSecond, windowSeconds: 1 }, callCounters),
    upstreams: createRateLimit(
      { name: 'broadband-check', quota: rateLimits.broadbandChecksPerMinute, windowSeconds: 60 },
      callCounters,
    ),
  }
  const offered = routes.filter((route) => realm === 'sandbox' || !route.sandboxOnly)
  for (const route of offered) registerRoute(app, route, services, routeLimits)
  registerContractRoutes(app, services)
  registerProcessorWebhook(app, services)
  registerHealthRoutes(app, { db: services.databases.shared }, options.isStopping)
  registerMetrics(app, options.metrics, options.metricsPeers)
  registerErrorPages(app)
  registerDocsRoutes(app, buildOpenApiDocument(offered, options))
  const { tokenSource } = services
  await registerConsole(app, {
    realm,
    tokens: 'embedded' in tokenSource ? { from: 'here', audience: tokenSource.embedded.audience } : { from: 'outside' },
  })
  if (realm === 'sandbox') await options.sandboxPages?.(app)
  refuseOtherMethods()

  app.setNotFoundHandler((request, reply) => {
    if (isForeignMethod(request.method)) {
      const refusal = new DomainError(
        'method_not_allowed',
        `No path supports this method. The supported methods are: ${methodsTaken}.`,
      )
      return sendProblem(refusal, request, reply.header('Allow', methodsTaken), publicUrl)
    }
    const error = new DomainError(
      'not_found',
      'No operation has this path. Check the path in the API reference at /docs.',
    )
    return sendProblem(error, request, reply, publicUrl)
  })
  return { app, close }
}

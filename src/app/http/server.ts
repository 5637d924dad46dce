import acceptsPlugin from '@fastify/accepts'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { registerOperatorApi } from '../../back-office/http/operator-api.ts'
import { operatorErrors } from '../../back-office/operator-errors.ts'
import { createLinkLimits } from '../../contracts/links/link-limits.ts'
import { operatorPage, sendOperatorPage } from '../../contracts/links/operator-frame.ts'
import { registerContractRoutes, registerPreviewRoutes } from '../../contracts/links/view-contract.route.ts'
import { registerTermsRoutes } from '../../contracts/terms/view-terms.route.ts'
import { html } from '../../pages/html.ts'
import { agencyNotices, agencyPages } from '../../partner-pages/agency/agency-pages.ts'
import { createAgencyVisits } from '../../partner-pages/agency/agency-visit.ts'
import { registerDeveloperPages } from '../../partner-pages/developers/register-developer-pages.ts'
import { registerDiscoveryRoutes } from '../../partners/discovery.route.ts'
import { createRateLimit, limitByAddress, policyWithoutBursts } from '../../partners/http/rate-limit.ts'
import { registerTokenRoutes } from '../../partners/issue-token.route.ts'
import { registerRevocationRoute } from '../../partners/revocation/revoke-token.route.ts'
import { createTokenLimits } from '../../partners/token-http/token-limits.ts'
import { registerProcessorWebhook } from '../../payments/record-processor-notice.route.ts'
import type { OperatorIdentity } from '../../people/operator-identity.ts'
import { registerPeoplePages } from '../../people-pages/register-people-pages.ts'
import { isAtLoopbackSandbox } from '../../platform/http/client-address.ts'
import { guardConnections } from '../../platform/http/connections.ts'
import { problemContentType } from '../../platform/http/errors/problem.ts'
import { applyLimits, type Certificate, listenerOptions } from '../../platform/http/listener.ts'
import { installAccessLog } from '../../platform/http/plugins/access-log.ts'
import { rejectAmbiguousRequests } from '../../platform/http/plugins/ambiguous-request.ts'
import { keepBodiesAsBytes } from '../../platform/http/plugins/body.ts'
import { installDrain } from '../../platform/http/plugins/drain.ts'
import { installErrorHandler, sendProblem } from '../../platform/http/plugins/error-handler.ts'
import {
  isUnsupportedMethod,
  supportedMethods,
  trackRouteMethods,
} from '../../platform/http/plugins/method-not-allowed.ts'
import { requestIdOf } from '../../platform/http/plugins/request-id.ts'
import { installRequestMetrics, type RequestMetrics, reportDrops } from '../../platform/http/plugins/request-metrics.ts'
import { installTraceContext, requestLog } from '../../platform/http/plugins/trace-context.ts'
import { rejectUnreadableRequests } from '../../platform/http/plugins/unreadable-request.ts'
import {
  type MetricsPage,
  type Readiness,
  registerHealthRoutes,
  registerMetrics,
} from '../../platform/http/routes/health.ts'
import { registerSecurityContact } from '../../platform/http/routes/security-contact.ts'
import { securityHeaders } from '../../platform/http/security-headers.ts'
import { bodyLimitBytes, defaultServerLimits, type ServerLimits } from '../../platform/http/server-limits.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { MailSender } from '../../platform/mail/mail-sender.ts'
import type { CallCounters } from '../../platform/rate-limits/call-counter.ts'
import type { RequestLog } from '../../sandbox/requests/request-log.ts'
import { installRequestLog } from '../../sandbox/requests/request-log-plugin.ts'
import { registerTenantPages } from '../../tenant-pages/register-tenant-pages.ts'
import { registerDocsRoutes } from '../../web/docs/docs-pages.ts'
import { registerReferenceToken } from '../../web/docs/reference-token.ts'
import { registerDownloads } from '../../web/downloads/register-downloads.ts'
import { registerLanding } from '../../web/landing/register-landing.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import { operatorApiErrors } from '../openapi/problem.schema.ts'
import { errorResponses, partnerErrorResponses } from './error-responses.ts'
import { operatorRoutes } from './operator-routes.ts'
import { type RouteLimits, registerRoute } from './register-route.ts'
import type { DeploymentDependencies } from './route-dependencies.ts'
import { routes } from './routes.ts'

export interface ServerOptions {
  realm: 'sandbox' | 'live'
  publicUrl: string
  /** The pauses between the attempts at a webhook delivery. The API document states them. */
  webhookRetrySeconds: readonly number[]
  trustedProxies: readonly string[]
  rateLimits: { requestsPerSecond: number; tokensPerMinute: number; broadbandChecksPerMinute: number }
  /** Counts calls for rate limits. */
  callCounters: CallCounters
  logger: FastifyBaseLogger
  /** If set, this port serves HTTPS only. */
  certificate?: Certificate | undefined
  limits?: Partial<ServerLimits> | undefined
  readiness: Readiness
  /** Counts requests, and shows the metrics to allowed clients. */
  metrics: RequestMetrics & MetricsPage
  metricsPeers: readonly string[]
  /** Where to report vulnerabilities, for `/.well-known/security.txt`. */
  securityContacts: readonly string[]
  /** Keeps the requests of a sandbox's partners; undefined in live. */
  requestLog?: RequestLog | undefined
  /** Sends people the codes with which they sign in; undefined if this deployment sends no e-mails. */
  mailSender: MailSender | undefined
  /** Where the operator's people sign in; undefined if nothing is set. */
  identity: OperatorIdentity | undefined
  /** The client id of the sandbox's own partner; undefined in live, and until the first start has made it. */
  sandboxClientId?: () => string | undefined
  /** Pages that only a sandbox has, such as the card page. */
  sandboxPages?: (app: FastifyInstance) => Promise<void>
}

/** The server. `close` stops it without aborting requests. */
export interface Server {
  app: FastifyInstance
  close(): Promise<void>
}

/**
 * Builds the server, which is the same for sandbox and live except for its dependencies. The caller makes it listen.
 */
export async function buildServer(deps: DeploymentDependencies, options: ServerOptions): Promise<Server> {
  const { publicUrl, realm } = options
  const wording = { publicUrl, errorResponses }
  const limits = { ...defaultServerLimits, ...options.limits }
  const headersOfAll = securityHeaders(publicUrl)
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: requestIdOf,
    childLoggerFactory: (log, bindings, _options, raw) => requestLog(log, bindings, raw),
    bodyLimit: bodyLimitBytes,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    // We write our own access log: Fastify's would log the URL, which may contain a link token.
    logController: new LogController({ disableRequestLogging: true }),
    // This is longer than any request line, so over-long ids reach the handler and are treated as unknown.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 20_000 },
    // `rejectUnreadableRequests` below replaces this handler.
    clientErrorHandler: () => undefined,
    // These errors happen before any hook runs.
    frameworkErrors: (error, request, reply) => {
      reply.headers(headersOfAll).header('X-Request-Id', request.id)
      if (isFromBrowser(request)) sendOperatorPage((reply as FastifyReply).code(404), deps, unknownPage)
      else sendProblem(error, request, reply, wording)
    },
    ...listenerOptions(limits, options.certificate),
    forceCloseConnections: 'idle',
    // A request that arrives while the last response on its connection is being sent is still served; its response says
    // that the connection closes.
    return503OnClosing: false,
  })
  applyLimits(app.server, limits)
  guardConnections(app, {
    limits,
    trustedProxies: options.trustedProxies,
    onDrop: reportDrops({ ...options, hash: (text) => deps.cipher.hash(text) }),
  })
  rejectUnreadableRequests(app.server, { ...wording, limits, log: options.logger })
  // Ignore unknown expectations, as RFC 9110 §10.1.1 allows. Otherwise, Node would return a bare 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  const close = installDrain(app)
  await app.register(acceptsPlugin)
  keepBodiesAsBytes(app)
  installErrorHandler(app, wording)
  installTraceContext(app)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOfAll).header('X-Request-Id', request.id)
    done()
  })
  // People get a page for every error, also for one that no page of theirs knows, such as a form that is too long.
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.getHeader('content-type') !== problemContentType || !isFromBrowser(request)) return payload
    const wait = reply.getHeader('retry-after')
    const page = wait === undefined ? failedPage : { ...failedPage, body: html`<p>${busy(String(wait))}</p>` }
    return operatorPage(reply, deps, page)
  })
  rejectAmbiguousRequests(app, limits)
  installAccessLog(app, (text) => deps.cipher.hash(text))
  installRequestMetrics(app, options.metrics)
  if (options.requestLog !== undefined) installRequestLog(app, options.requestLog)
  const rejectOtherMethods = trackRouteMethods(app)

  const { rateLimits, callCounters } = options
  const perSecond = (name: string) =>
    createRateLimit({ name, quota: rateLimits.requestsPerSecond, windowSeconds: 1 }, callCounters)
  const countPublic = limitByAddress(perSecond('public'), deps.cipher)
  const tokenLimits = createTokenLimits(rateLimits.tokensPerMinute, {
    counters: callCounters,
    cipher: deps.cipher,
  })
  const checkCredentials = registerTokenRoutes(app, deps, tokenLimits)
  if ('embedded' in deps.tokenSource) {
    registerRevocationRoute(app, deps, { tokenIssuer: deps.tokenSource.embedded, limits: tokenLimits })
  }
  const routeLimits: RouteLimits = {
    calls: perSecond('default'),
    upstreams: createRateLimit(
      policyWithoutBursts('broadband-check', rateLimits.broadbandChecksPerMinute),
      callCounters,
    ),
  }
  const offered = routes.filter((route) => realm === 'sandbox' || !route.sandboxOnly)
  for (const route of offered) registerRoute(app, route, deps, routeLimits)
  registerOperatorApi(app, deps, operatorRoutes, {
    publicUrl,
    errors: operatorApiErrors,
    webhookRetrySeconds: options.webhookRetrySeconds,
    limits: tokenLimits,
    calls: perSecond('operator'),
    countReader: countPublic,
  })
  const linkLimits = createLinkLimits(rateLimits.requestsPerSecond, {
    ...deps,
    counters: callCounters,
  })
  registerContractRoutes(app, deps, linkLimits)
  registerPreviewRoutes(app, deps, linkLimits)
  registerTenantPages(app, deps, {
    publicUrl,
    counters: callCounters,
    requestsPerSecond: rateLimits.requestsPerSecond,
  })
  registerPeoplePages(
    app,
    deps,
    { ...options, counters: callCounters, requestsPerSecond: rateLimits.requestsPerSecond },
    { pages: agencyPages, notices: agencyNotices, complete: createAgencyVisits(deps, routeLimits) },
  )
  registerProcessorWebhook(app, deps, countPublic)
  registerHealthRoutes(app, options.readiness)
  registerMetrics(app, options.metrics, {
    peers: options.metricsPeers,
    freshForMs: options.limits?.metricsFreshForMs ?? defaultServerLimits.metricsFreshForMs,
  })
  const clientIdOf = registerDeveloperPages(app, deps, {
    publicUrl,
    counters: callCounters,
    requestsPerSecond: rateLimits.requestsPerSecond,
    limits: routeLimits,
    checkCredentials,
  })
  const clientIdHere = (request: FastifyRequest) =>
    isAtLoopbackSandbox(request, options) ? options.sandboxClientId?.() : undefined
  const { tokenSource } = deps
  // What anybody may read: each request counts for its address.
  await app.register(async (open) => {
    open.addHook('onRequest', countPublic)
    if ('embedded' in tokenSource) registerDiscoveryRoutes(open, tokenSource.embedded, publicUrl)
    registerTermsRoutes(open, deps)
    registerSecurityContact(open, { contacts: options.securityContacts, publicUrl, clock: deps.clock })
    registerDocsRoutes(
      open,
      () =>
        buildOpenApiDocument(offered, {
          ...options,
          tokenPath: 'embedded' in tokenSource ? '/oauth/token' : '/partner-api/Auth/token',
        }),
      {
        ...options,
        errors: { partner: partnerErrorResponses, operator: operatorErrors },
        clientIdOf,
        clientIdHere,
        tokenPath: registerReferenceToken(open, deps, { publicUrl, clientIdHere }),
      },
    )
    registerDownloads(open)
    registerLanding(open, deps, { publicUrl, clientIdHere, hasProvider: options.identity !== undefined })
  })
  if (realm === 'sandbox') await options.sandboxPages?.(app)
  rejectOtherMethods()

  app.setNotFoundHandler(async (request, reply) => {
    // A request for a guide that does not exist has counted already.
    if (!reply.hasHeader('RateLimit-Policy')) await countPublic(request, reply)
    if (isUnsupportedMethod(request.method)) {
      const rejection = new DomainError(
        'method_not_allowed',
        `No path supports this method. The supported methods are: ${supportedMethods}.`,
      )
      return sendProblem(rejection, request, reply.header('Allow', supportedMethods), wording)
    }
    if (isFromBrowser(request)) return sendOperatorPage(reply.code(404), deps, unknownPage)
    const error = new DomainError(
      'not_found',
      'No operation has this path. Check the path in the API reference at /docs.',
    )
    return sendProblem(error, request, reply, wording)
  })
  return { app, close }
}

/**
 * Whether a person opened the address in a browser, or sent a form. Programs, and browsers' scripts, do not ask for
 * HTML. Below an API's prefix, all errors are JSON; below those of pages, none is.
 */
function isFromBrowser({ url, headers }: FastifyRequest): boolean {
  if (/^\/(?:partner|operator)-api(?:[/?]|$)/i.test(url)) return false
  return /^\/(?:my-bills|desk|workplace)(?:[/?]|$)/i.test(url) || (headers.accept ?? '').includes('text/html')
}

const failedPage = {
  heading: 'This did not work',
  body: html`<p>What you sent is too long, or cannot be read. Go back, check what you entered, and send it again.</p>`,
}
const busy = (seconds: string) => `We could not do this just now. Go back and try again in ${seconds} s.`

const unknownPage = {
  heading: 'There is no page here',
  body: html`<p>Check that the whole address was copied. If it came with a message, open the link in the message again.</p><p>If you are writing a program, see <a href="/docs">the documentation</a>.</p>`,
}

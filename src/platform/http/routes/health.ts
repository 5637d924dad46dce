import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createAddressFilter } from '../../kernel/address-filter.ts'
import { DomainError } from '../../kernel/errors.ts'

/** Renders the service's metrics as text. */
export interface MetricsPage {
  contentType: string
  render(): Promise<string>
}

/** Matches the headers that proxies add to the requests they pass on. */
const forwardingHeader = /^(forwarded|via|x-real-ip|x-forwarded-.+)$/

/**
 * Serves `/metrics`, without a token, to loopback clients and to addresses that the operator has allowed. All other
 * clients get a 404. Requests that came through a proxy also get a 404, because the proxy's own address may be local.
 * The log gives the reason. Makes the page at most once in `freshForMs`.
 */
export function registerMetrics(
  app: FastifyInstance,
  page: MetricsPage,
  { peers, freshForMs }: { peers: readonly string[]; freshForMs: number },
): void {
  const isAllowed = createAddressFilter(peers)
  let latest: { text: Promise<string>; at: number } | undefined

  function render(): Promise<string> {
    const at = performance.now()
    if (latest !== undefined && at - latest.at < freshForMs) return latest.text
    latest = { text: page.render(), at }
    return latest.text
  }

  function rejection({ headers, socket }: FastifyRequest): string | undefined {
    if (Object.keys(headers).some((name) => forwardingHeader.test(name))) return 'the request came through a proxy'
    return isAllowed(socket.remoteAddress) ? undefined : 'the client is not in METRICS_ALLOW'
  }

  app.get('/metrics', async (request, reply) => {
    const reason = rejection(request)
    if (reason !== undefined) {
      request.log.info({ reason }, 'metrics request rejected')
      return reply.callNotFound()
    }
    return reply
      .header('Content-Type', page.contentType)
      .header('Cache-Control', 'no-store')
      .send(await render())
  })
}

/** How long a probe may take, and how long its result is used. */
const probeWithinMs = 1_000
const probedAgainAfterMs = 2_000

/** Whether a process can handle requests; if the database does not accept writes, with the `error`. */
export type Readiness = () => Promise<{ status: string; isReady: boolean; error?: unknown }>

export function createReadiness(given: {
  isStopping: () => boolean
  isOutdated: () => boolean
  probe: () => Promise<void>
}): Readiness {
  let latest: { at: number; result: Promise<unknown> } | undefined
  /** Undefined if the database accepts writes, otherwise the error. */
  function probe(): Promise<unknown> {
    const at = performance.now()
    if (latest === undefined || at - latest.at > probedAgainAfterMs)
      latest = {
        at,
        result: inTime(given.probe()).then(
          () => undefined,
          (error: unknown) => error,
        ),
      }
    return latest.result
  }
  return async () => {
    if (given.isStopping()) return { status: 'stopping', isReady: false }
    if (given.isOutdated()) return { status: 'database is newer than this version', isReady: false }
    const error = await probe()
    return error === undefined ? { status: 'ready', isReady: true } : { status: statusOf(error), isReady: false, error }
  }
}

/** `/health/live`: the process responds. `/health/ready`: it can handle requests, and the database accepts writes. */
export function registerHealthRoutes(app: FastifyInstance, readiness: Readiness): void {
  app.get('/health/live', () => ({ status: 'live' }))
  app.get('/health/ready', async (request, reply) => {
    const { status, isReady, error } = await readiness()
    if (isReady) return { status }
    if (error !== undefined) {
      request.log.warn({ err: error }, 'not ready: the database does not accept writes')
      reply.header('Retry-After', '2')
    }
    return reply.code(503).send({ status })
  })
}

/** SQLSTATEs of a database that can be reached and refuses to write: the disk is full, or the server is read-only. */
const rejections = /^(25006|53\d\d\d|58\d\d\d|XX000)$/

function statusOf(error: unknown): string {
  const { code = '' } = (error instanceof DomainError ? (error.cause ?? {}) : {}) as { code?: string }
  return rejections.test(code) ? 'database rejects writes' : 'database unreachable'
}

async function inTime(probed: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error('the write took longer than a second')), probeWithinMs)
  try {
    await Promise.race([probed, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { hashOfAddress } from '../../kernel/address-filter.ts'
import { plainAddress } from '../client-address.ts'
import type { DropReason } from '../connections.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation's id in the API document. */
    operationId?: string
  }
}

/** Records requests for the metrics page. */
export interface RequestMetrics {
  /** `operation` is the operation's id or, for other paths, the route pattern. It is never the path as sent. */
  countRequest(request: { operation: string; status: number; seconds: number }): void
  /** Counts a connection that was closed at once, because there are too many. */
  countDroppedConnection(reason: DropReason): void
}

/** The operation's id or, for other paths, the route pattern. */
export function operationOf({ routeOptions: { config, url = 'unknown path' } }: FastifyRequest): string {
  return config.operationId ?? url
}

export function installRequestMetrics(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.countRequest({
      operation: operationOf(request),
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    })
    done()
  })
}

interface DropReporter {
  metrics: Pick<RequestMetrics, 'countDroppedConnection'>
  logger: FastifyBaseLogger
  /** Keyed hash of a text, the same in every process of a deployment. */
  hash: (text: string) => string
}

const logEveryMs = 60_000

/** Counts dropped connections, and logs them at most once a minute, because whoever causes them could fill the log. */
export function reportDrops({ metrics, logger, hash }: DropReporter): (reason: DropReason, address: string) => void {
  const dropped = { all: 0, site: 0 }
  let loggedAt = Number.NEGATIVE_INFINITY
  return (reason, address) => {
    metrics.countDroppedConnection(reason)
    dropped[reason] += 1
    if (performance.now() - loggedAt < logEveryMs) return
    loggedAt = performance.now()
    logger.warn(
      { dropped, reason, addressHash: hashOfAddress(hash, plainAddress(address)) },
      'dropping connections: too many',
    )
  }
}

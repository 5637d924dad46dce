import type { FastifyInstance } from 'fastify'
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

export function installRequestMetrics(app: FastifyInstance, metrics: RequestMetrics): void {
  app.addHook('onResponse', async (request, reply) => {
    const { config, url = 'unknown path' } = request.routeOptions
    metrics.countRequest({
      operation: config.operationId ?? url,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1_000,
    })
  })
}

import type { FastifyInstance } from 'fastify'
import type { RequestLog } from '../../domain/sandbox/requests/request-log.ts'
import { newId } from '../../kernel/ids.ts'
import { callerOf } from './access-log.ts'
import { errorCodeOf } from './error-handler.ts'

/** Notes every request whose token was accepted, for the partner to look up: the route and never the path, which has ids. */
export function installRequestLog(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', async (request, reply) => {
    const { config, url = '' } = request.routeOptions
    const partnerId = callerOf(request)?.partnerId
    if (partnerId === undefined || config.operationId === undefined) return
    log.add({
      partnerId,
      entryId: newId('request'),
      at: new Date(),
      requestId: request.id,
      method: request.method,
      route: url.replace(/:(\w+)/g, '{$1}'),
      operationId: config.operationId,
      status: reply.statusCode,
      code: errorCodeOf(request) ?? null,
      durationMs: Math.round(reply.elapsedTime),
    })
  })
}

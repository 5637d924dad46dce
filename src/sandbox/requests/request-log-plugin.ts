import type { FastifyInstance } from 'fastify'
import { callerOf } from '../../platform/http/plugins/access-log.ts'
import { errorCodeOf } from '../../platform/http/plugins/error-handler.ts'
import { newId } from '../../platform/kernel/ids.ts'
import type { RequestLog } from './request-log.ts'

/**
 * Notes every request whose token was accepted, for the partner to look up: the route and never the path, which has
 * ids.
 */
export function installRequestLog(app: FastifyInstance, log: RequestLog): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { config, url = '' } = request.routeOptions
    const partnerId = callerOf(request)?.partnerId
    if (partnerId !== undefined && config.operationId !== undefined)
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
    done()
  })
}

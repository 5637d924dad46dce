import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isValidTracestate } from './tracestate.ts'

interface TraceContext {
  traceparent: string
  tracestate: string | undefined
}

const contextOfRequest = new AsyncLocalStorage<TraceContext>()

const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Remembers the W3C trace context of each request while it is worked on. A request that brings none, or an unusable one,
 * begins a trace of its own, so that all calls made for it can be found together; whatever `tracestate` it brought is dropped.
 */
export function installTraceContext(app: FastifyInstance): void {
  // Not in `onRequest`: reading a body leaves the context a request began in. Nothing is asked outside before this.
  app.addHook('preHandler', (request, _reply, done) => {
    contextOfRequest.run(incomingOrNew(request), done)
  })
}

/** The `traceparent` of the request being worked on, to be continued by calls made for it; undefined outside of one. */
export function currentTraceparent(): string | undefined {
  return contextOfRequest.getStore()?.traceparent
}

/** Its `tracestate`, to be passed on unchanged; undefined where none that is valid came in. */
export function currentTracestate(): string | undefined {
  return contextOfRequest.getStore()?.tracestate
}

function incomingOrNew({ headers }: FastifyRequest): TraceContext {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !wellFormed.test(traceparent)) {
    const begun = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`
    return { traceparent: begun, tracestate: undefined }
  }
  // Several such headers are one list, which Node has joined.
  const isUsable = typeof tracestate === 'string' && isValidTracestate(tracestate)
  return { traceparent, tracestate: isUsable ? tracestate : undefined }
}

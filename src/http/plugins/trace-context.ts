import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isValidTracestate } from './tracestate.ts'

interface TraceContext {
  traceparent: string
  tracestate: string | undefined
}

const contextOfRequest = new AsyncLocalStorage<TraceContext>()
/** For hooks that run outside the async context. */
const contexts = new WeakMap<FastifyRequest, TraceContext>()

const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Keeps the W3C trace context of each request while it is handled. A request without a valid `traceparent` starts a new trace, so that all
 * calls made for the request can be found together; its `tracestate` is dropped.
 */
export function installTraceContext(app: FastifyInstance): void {
  // Do not do this in `onRequest`, because reading a body loses the async context. Nothing calls an upstream before this hook.
  app.addHook('preHandler', (request, _reply, done) => {
    contextOfRequest.run(contextOf(request), done)
  })
}

function contextOf(request: FastifyRequest): TraceContext {
  const context = contexts.get(request) ?? incomingOrNew(request)
  contexts.set(request, context)
  return context
}

/** The id of the request's trace: 32 hexadecimal digits. */
export function traceIdOf(request: FastifyRequest): string {
  return contextOf(request).traceparent.slice(3, 35)
}

/** The `traceparent` for calls made on behalf of the current request; undefined outside a request. */
export function currentTraceparent(): string | undefined {
  return contextOfRequest.getStore()?.traceparent
}

/** The current request's `tracestate`, to pass on unchanged; undefined unless the request had a valid one. */
export function currentTracestate(): string | undefined {
  return contextOfRequest.getStore()?.tracestate
}

function incomingOrNew({ headers }: FastifyRequest): TraceContext {
  const { traceparent, tracestate } = headers
  if (typeof traceparent !== 'string' || !wellFormed.test(traceparent)) {
    const begun = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`
    return { traceparent: begun, tracestate: undefined }
  }
  // Node joins repeated headers of this name into one list.
  const isUsable = typeof tracestate === 'string' && isValidTracestate(tracestate)
  return { traceparent, tracestate: isUsable ? tracestate : undefined }
}

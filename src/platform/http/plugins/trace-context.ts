import type { IncomingMessage } from 'node:http'
import { createTraceState, type Span } from '@opentelemetry/api'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import {
  isTraceparent,
  newTraceparent,
  runForRequest,
  type Trace,
  traceIdOf,
  traceparentOf,
} from '../../kernel/request-context.ts'
import { beginRequest, endRequest } from '../../kernel/spans.ts'
import { operationOf } from './request-metrics.ts'

/** A request's trace and, if it is recorded, its span. */
type RequestTrace = Trace & { traceparent: string; span?: Span | undefined }

const traces = new WeakMap<IncomingMessage, RequestTrace>()

/** What monitoring reads every few seconds is not traced. */
const isMonitoring = /^\/(?:health\/|metrics\b)/

/**
 * Keeps the W3C trace context of each request while it is handled. A request without a valid `traceparent` starts a new
 * trace, so that all calls made for the request can be found together; its `tracestate` is dropped.
 */
export function installTraceContext(app: FastifyInstance): void {
  // Do not do this in `onRequest`, because reading a body loses the async context. Nothing calls an upstream before
  // this hook.
  app.addHook('preHandler', (request, _reply, done) => runForRequest(traceOf(request.raw), done))
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = traceOf(request.raw)
    if (span !== undefined) endRequest(span, { operation: operationOf(request), status: reply.statusCode })
    done()
  })
}

/** The log of one request: every line has its `traceId`. */
export function requestLog(log: FastifyBaseLogger, bindings: object, raw: IncomingMessage): FastifyBaseLogger {
  return log.child({ ...bindings, traceId: traceIdOf(traceOf(raw).traceparent) })
}

function traceOf(raw: IncomingMessage): RequestTrace {
  const known = traces.get(raw)
  if (known !== undefined) return known
  const trace = incomingOrNew(raw)
  traces.set(raw, trace)
  return trace
}

function incomingOrNew({ headers, url = '' }: IncomingMessage): RequestTrace {
  const { traceparent, tracestate } = headers
  const given = typeof traceparent === 'string' && isTraceparent(traceparent) ? traceparent : undefined
  const span = isMonitoring.test(url) ? undefined : beginRequest(given)
  return {
    traceparent: (span && traceparentOf(span)) ?? given ?? newTraceparent(),
    // Node joins repeated headers of this name into one list. Malformed members are left out.
    tracestate: (given && tracestate && createTraceState(String(tracestate)).serialize()) || undefined,
    span: span?.isRecording() === true ? span : undefined,
  }
}

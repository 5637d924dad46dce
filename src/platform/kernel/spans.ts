import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { currentSpan, hasRequest, runWithin } from './request-context.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/*
 * The four spans of a trace: a request, a statement, a call to an outside system, an attempt at a delivery. Like the
 * labels of metrics, names and attributes say which operation, table, system and outcome: never an id, a value, a path
 * or anything about a person (docs/operations.md#traces). Until `startTracing` of `src/app/` has loaded OpenTelemetry's
 * SDK, and for traces that are not sampled, nothing is recorded.
 */

const tracer = trace.getTracer('housebill')

/** Begins the span of a request, which continues the caller's trace if there is one. */
export function beginRequest(traceparent: string | undefined): Span {
  return tracer.startSpan('request', { kind: SpanKind.SERVER }, contextOf(traceparent))
}

export function endRequest(span: Span, { operation, status }: { operation: string; status: number }): void {
  span.updateName(operation).setAttributes({ operation, status: `${Math.floor(status / 100)}xx` })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

/** Runs a statement of a request in its span. What runs outside a request has none: workers look for work all day. */
export function inStatementSpan<Result>(name: () => string, run: () => Promise<Result>): Promise<Result> {
  const parent = currentSpan()
  if (parent === undefined) return run()
  const span = tracer.startSpan(name(), statementOptions, trace.setSpan(ROOT_CONTEXT, parent))
  return endingWith(span, run)
}

const statementOptions = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }

/** Runs a call to an outside system in its span, of the current request's trace or, in a job, of a new one. */
export function inCallSpan<Result>(upstream: string, run: () => Promise<Result>): Promise<Result> {
  const parent = currentSpan()
  if (parent === undefined && hasRequest()) return run()
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
  const span = tracer.startSpan(upstream, { kind: SpanKind.CLIENT, attributes: { upstream } }, context)
  return span.isRecording() ? runWithin(span, () => endingWith(span, run)) : run()
}

async function endingWith<Result>(span: Span, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    if (error instanceof UpstreamFailure) span.setAttribute('kind', error.kind)
    throw error
  } finally {
    span.end()
  }
}

/** Begins the span of an attempt, which continues the trace of the request that caused the event. */
export function beginDelivery(traceparent: string | null, about: { event: string; attempt: number }): Span {
  return tracer.startSpan('delivery', { kind: SpanKind.CLIENT, attributes: about }, contextOf(traceparent ?? undefined))
}

/** `hasFailed`: the receiver did not accept the message. */
export function endDelivery(span: Span, attributes: Attributes, hasFailed: boolean): void {
  span.setAttributes(attributes)
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}

function contextOf(traceparent: string | undefined): Context {
  const parts = traceparent?.split('-')
  if (parts === undefined) return ROOT_CONTEXT
  const [, traceId = '', spanId = '', flags = ''] = parts
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true })
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { isSpanContextValid, type Span } from '@opentelemetry/api'

/** The W3C trace headers of a request (https://www.w3.org/TR/trace-context/). */
export interface Trace {
  traceparent: string | undefined
  tracestate: string | undefined
}

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

/** A request's trace, the span in which its work runs if the trace is recorded, and its partner once known. */
type CurrentRequest = Trace & { span?: Span | undefined; partnerId?: string }

const currentRequest = new AsyncLocalStorage<CurrentRequest>()

/** Runs the work for a request, so that calls made and events recorded for it belong to the request's trace. */
export function runForRequest<Result>(trace: Trace & { span?: Span | undefined }, work: () => Result): Result {
  return currentRequest.run({ ...trace }, work)
}

/** Runs work of the current request, or of none, in a span of its own. */
export function runWithin<Result>(span: Span, work: () => Result): Result {
  const request: CurrentRequest = currentRequest.getStore() ?? { traceparent: undefined, tracestate: undefined }
  return currentRequest.run({ ...request, span, traceparent: traceparentOf(span) }, work)
}

/** The span in which the current work runs; undefined if it is not recorded, or has ended. */
export function currentSpan(): Span | undefined {
  const span = currentRequest.getStore()?.span
  return span?.isRecording() === true ? span : undefined
}

/** Whether this runs for a request. */
export function hasRequest(): boolean {
  return currentRequest.getStore() !== undefined
}

/** Call this once the partner who sent the current request is known. */
export function notePartner(partnerId: string): void {
  const request = currentRequest.getStore()
  if (request !== undefined) request.partnerId = partnerId
}

/**
 * The partner who sent the current request, so that partners can take turns; undefined outside a request. Not for
 * access control, which passes the partner on explicitly.
 */
export function currentPartner(): string | undefined {
  return currentRequest.getStore()?.partnerId
}

/** The `traceparent` of the current request; undefined outside a request. */
export function currentTraceparent(): string | undefined {
  return currentRequest.getStore()?.traceparent
}

/** The id of the current request's trace, for logs; undefined outside a request. */
export function currentTraceId(): string | undefined {
  const traceparent = currentTraceparent()
  return traceparent === undefined ? undefined : traceIdOf(traceparent)
}

/** The trace headers of a call that the current work makes: those of its span or, if it is not recorded, of a new one. */
export function currentTraceHeaders(): { traceparent: string; tracestate?: string } {
  const request = currentRequest.getStore() ?? { traceparent: undefined, tracestate: undefined }
  const { traceparent, tracestate } = request
  if (traceparent === undefined || currentSpan() === undefined) return traceHeaders(request)
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) }
}

/** The `traceparent` of what a span causes; undefined if there is no SDK and the span has no parent. */
export function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext()
  if (!isSpanContextValid(context)) return undefined
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

export function isTraceparent(text: string): boolean {
  return pattern.test(text)
}

/** The trace id in a valid `traceparent`: 32 hexadecimal digits. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35)
}

/** The `traceparent` of a new trace that is not sampled. */
export function newTraceparent(): string {
  return `00-${randomUUID().replaceAll('-', '')}-${newSpanId()}-00`
}

/**
 * The headers of a call made within this trace: the same trace and flags, a new span. Without a valid parent, they
 * start a new trace.
 * `tracestate` is only sent together with the `traceparent` to which it belongs.
 */
export function traceHeaders({ traceparent, tracestate }: Trace): { traceparent: string; tracestate?: string } {
  const [, traceId, flags] = pattern.exec(traceparent ?? '') ?? []
  if (traceId === undefined || flags === undefined) return { traceparent: newTraceparent() }
  return {
    traceparent: `00-${traceId}-${newSpanId()}-${flags}`,
    ...(tracestate === undefined ? {} : { tracestate }),
  }
}

/**
 * Node draws the random bytes of UUIDs in advance, so this needs no system call. The last 16 digits of a UUID are never
 * all zero.
 */
function newSpanId(): string {
  return randomUUID().replaceAll('-', '').slice(16)
}

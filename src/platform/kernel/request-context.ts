import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'

/** The W3C trace headers of a request (https://www.w3.org/TR/trace-context/). */
export interface Trace {
  traceparent: string | undefined
  tracestate: string | undefined
}

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

const currentRequest = new AsyncLocalStorage<Trace & { partnerId?: string }>()

/** Runs the work for a request, so that calls made and events recorded for it belong to the request's trace. */
export function runForRequest<Result>(trace: Trace, work: () => Result): Result {
  return currentRequest.run({ ...trace }, work)
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

/** The current request's `tracestate`, to pass on unchanged; undefined unless the request had a valid one. */
export function currentTracestate(): string | undefined {
  return currentRequest.getStore()?.tracestate
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

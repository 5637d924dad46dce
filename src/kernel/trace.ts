import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'

/** The W3C trace headers of a request (https://www.w3.org/TR/trace-context/). */
export interface Trace {
  traceparent: string | undefined
  tracestate: string | undefined
}

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/

const currentTrace = new AsyncLocalStorage<Trace>()

/** Runs the work within the trace, so that calls made and events recorded for it belong to the trace. */
export function runInTrace<Result>(trace: Trace, work: () => Result): Result {
  return currentTrace.run(trace, work)
}

/** The `traceparent` of the current request; undefined outside a request. */
export function currentTraceparent(): string | undefined {
  return currentTrace.getStore()?.traceparent
}

/** The current request's `tracestate`, to pass on unchanged; undefined unless the request had a valid one. */
export function currentTracestate(): string | undefined {
  return currentTrace.getStore()?.tracestate
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
  return `00-${randomBytes(16).toString('hex')}-${newSpanId()}-00`
}

/**
 * The headers of a call made within this trace: the same trace and flags, a new span. Without a valid parent, they start a new trace.
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

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

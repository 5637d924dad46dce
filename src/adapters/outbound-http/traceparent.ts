import { randomBytes } from 'node:crypto'

/** The W3C trace headers of the current request. */
export interface IncomingTrace {
  traceparent: string | undefined
  tracestate: string | undefined
}

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * The W3C `traceparent` of a call made within this trace: the same trace and flags, a new span. Without a valid parent it starts a
 * new, unsampled trace.
 */
function childTraceparent(parent: string | undefined): string {
  const continued = usableParent(parent) ?? { traceId: randomBytes(16).toString('hex'), flags: '00' }
  return `00-${continued.traceId}-${randomBytes(8).toString('hex')}-${continued.flags}`
}

/** The trace headers of a call made within this trace. `tracestate` is only sent together with the `traceparent` to which it belongs. */
export function traceHeaders({ traceparent, tracestate }: IncomingTrace): { traceparent: string; tracestate?: string } {
  const child = { traceparent: childTraceparent(traceparent) }
  if (tracestate === undefined || usableParent(traceparent) === undefined) return child
  return { ...child, tracestate }
}

function usableParent(parent: string | undefined): { traceId: string; flags: string } | undefined {
  const [, traceId, parentSpan, flags] = pattern.exec(parent ?? '') ?? []
  if (traceId === undefined || parentSpan === undefined || flags === undefined) return undefined
  return /^0+$/.test(traceId) || /^0+$/.test(parentSpan) ? undefined : { traceId, flags }
}

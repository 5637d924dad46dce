import { randomBytes } from 'node:crypto'

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * The W3C `traceparent` of a call made within this one: the same trace and flags, a span of its own. Without a usable
 * parent it begins a trace, not sampled.
 */
export function childTraceparent(parent: string | undefined): string {
  const [, traceId, parentSpan, flags] = pattern.exec(parent ?? '') ?? []
  const usable = traceId !== undefined && !/^0+$/.test(traceId) && parentSpan !== undefined && !/^0+$/.test(parentSpan)
  return `00-${usable ? traceId : randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${usable ? flags : '00'}`
}

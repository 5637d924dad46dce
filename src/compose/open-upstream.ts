import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { UpstreamCounters } from '../adapters/outbound-http/counters.ts'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createUpstream, type Upstream } from '../adapters/outbound-http/upstream.ts'
import { currentTraceparent, currentTracestate } from '../kernel/request-context.ts'

/** Creates the guarded HTTP client for one upstream. It continues the trace of the current request. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

/** Registers a function that reads a client's counters. */
export type RegisterCounters = (read: () => UpstreamCounters) => void

/** Continues the trace of the current request. */
export const currentTrace = { traceparent: currentTraceparent, tracestate: currentTracestate }

/**
 * `lookup` is shared by all clients. `limits` replaces the defaults of every upstream; limits given for a single upstream take
 * precedence.
 */
export function createUpstreamOpener(
  { log, watch, lookup }: { log: Logger; watch: RegisterCounters; lookup: LookupFunction },
  limits: Partial<UpstreamLimits> = {},
): OpenUpstream {
  return (name, baseUrl, own) => {
    const upstream = createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, lookup, ...currentTrace })
    watch(upstream.counters)
    return upstream
  }
}

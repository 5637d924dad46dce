import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { UpstreamCounters } from '../adapters/outbound-http/counters.ts'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createUpstream, type Upstream } from '../adapters/outbound-http/upstream.ts'
import { currentTraceparent, currentTracestate } from '../http/plugins/trace-context.ts'

/** Makes the guarded way out to one outside system; it continues the trace of the request it is used for. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

/** To be given what every way out has counted, for as long as it is open. */
export type WatchCounters = (read: () => UpstreamCounters) => void

/** What a way out needs to continue the trace of the request it is used for. */
export const ofThisRequest = { traceparent: currentTraceparent, tracestate: currentTracestate }

/** `lookup` is that of all ways out. `limits`, where given, stand in for the default ones of every upstream; one's own go before them. */
export function upstreamOpener(
  { log, watch, lookup }: { log: Logger; watch: WatchCounters; lookup: LookupFunction },
  limits: Partial<UpstreamLimits> = {},
): OpenUpstream {
  return (name, baseUrl, own) => {
    const upstream = createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, lookup, ...ofThisRequest })
    watch(upstream.counters)
    return upstream
  }
}

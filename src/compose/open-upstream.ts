import type { Logger } from 'pino'
import type { UpstreamCounters } from '../adapters/outbound-http/counters.ts'
import type { UpstreamLimits } from '../adapters/outbound-http/limits.ts'
import { createNameLookup } from '../adapters/outbound-http/name-lookup.ts'
import { createUpstream, type Upstream } from '../adapters/outbound-http/upstream.ts'
import { currentTraceparent, currentTracestate } from '../http/plugins/trace-context.ts'

/** Makes the guarded way out to one outside system; it continues the trace of the request it is used for. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

/** To be given what every way out has counted, for as long as it is open. */
export type WatchCounters = (read: () => UpstreamCounters) => void

/** What a way out needs to continue the trace of the request it is used for. */
export const ofThisRequest = { traceparent: currentTraceparent, tracestate: currentTracestate }

/** `limits`, where given, stand in for the default ones of every upstream; one's own go before them. */
export function upstreamOpener(log: Logger, watch: WatchCounters, limits: Partial<UpstreamLimits> = {}): OpenUpstream {
  const lookup = createNameLookup()
  return (name, baseUrl, own) => {
    const upstream = createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, lookup, ...ofThisRequest })
    watch(upstream.counters)
    return upstream
  }
}

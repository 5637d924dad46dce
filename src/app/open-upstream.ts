import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { UpstreamCounters } from '../platform/outbound/counters.ts'
import type { UpstreamLimits } from '../platform/outbound/guard.ts'
import { createUpstream, type Upstream } from '../platform/outbound/upstream.ts'
import type { CallDurations } from './metrics/metrics.ts'

/** Opens the guarded HTTP client for one upstream, which is counted, and closed at the end. */
export type OpenUpstream = (name: string, baseUrl: string, limits?: Partial<UpstreamLimits>) => Upstream

interface OpenerDependencies {
  callDurations: CallDurations
  log: Logger
  /** Shared by all clients. */
  lookup: LookupFunction
  /** Functions that read the counters of the opened clients. */
  counting: (() => UpstreamCounters)[]
  closers: (() => Promise<void>)[]
}

/** `limits` replaces the defaults of every upstream; limits given for a single upstream take precedence. */
export function createUpstreamOpener(
  { callDurations, log, lookup, counting, closers }: OpenerDependencies,
  limits: Partial<UpstreamLimits> = {},
): OpenUpstream {
  return (name, baseUrl, own) => {
    const recordDuration = (seconds: number) => callDurations.observe({ upstream: name }, seconds)
    callDurations.zero({ upstream: name })
    const upstream = createUpstream({ name, baseUrl, limits: { ...limits, ...own }, log, recordDuration, lookup })
    counting.push(upstream.counters)
    closers.push(upstream.close)
    return upstream
  }
}

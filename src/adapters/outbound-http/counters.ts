import { type UpstreamFailure, type UpstreamFailureKind, upstreamFailureKinds } from '../../kernel/upstream-failure.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** How many calls took at most this long: cumulative, as Prometheus counts; what is beyond the last is in `calls` only. */
export interface LatencyBucket {
  upToMs: number
  calls: number
}

/** What has happened with one upstream since the process began: the source of its metrics. */
export interface UpstreamCounters {
  upstream: string
  /** Calls that ended, whatever their outcome. */
  calls: number
  /** Requests sent for them, repeated ones included. */
  tries: number
  /** Calls to an external system that failed, by kind of failure. */
  failures: Record<UpstreamFailureKind, number>
  /** Time all ended calls took together, waiting for a slot included. */
  totalMilliseconds: number
  /** The same time call by call, in ascending buckets. */
  latency: LatencyBucket[]
  /** Calls begun and not ended. */
  inFlight: number
  breaker: BreakerState
  breakerOpenings: number
}

/** From a cached answer next door to the whole of a partner's ten seconds. */
const bucketBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export function noCalls(upstream: string): UpstreamCounters {
  const failures = Object.fromEntries(upstreamFailureKinds.map((kind) => [kind, 0])) as Record<
    UpstreamFailureKind,
    number
  >
  return {
    upstream,
    calls: 0,
    tries: 0,
    failures,
    totalMilliseconds: 0,
    latency: bucketBoundsMs.map((upToMs) => ({ upToMs, calls: 0 })),
    inFlight: 0,
    breaker: 'closed',
    breakerOpenings: 0,
  }
}

/** Counts a call in; the function it gives counts it out, with its failure where it ended in one. */
export function beginCall(counters: UpstreamCounters): (failure?: UpstreamFailure) => void {
  const startedAt = performance.now()
  counters.inFlight += 1
  return (failure) => {
    const took = performance.now() - startedAt
    counters.inFlight -= 1
    counters.calls += 1
    counters.totalMilliseconds += took
    for (const bucket of counters.latency) if (took <= bucket.upToMs) bucket.calls += 1
    if (failure !== undefined) counters.failures[failure.kind] += 1
  }
}

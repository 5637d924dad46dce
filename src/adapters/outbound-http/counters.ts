import { type UpstreamFailure, type UpstreamFailureKind, upstreamFailureKinds } from '../../kernel/upstream-failure.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** How many calls took at most `upToMs`: cumulative, as in Prometheus. Calls slower than the last bucket count only in the total. */
interface LatencyBucket {
  upToMs: number
  calls: number
}

/** Counts for one upstream since the process started. The metrics of that upstream show them. */
export interface UpstreamCounters {
  upstream: string
  /** The number of calls that have ended, whatever their outcome. */
  calls: number
  /** The number of requests sent. A call that is retried sends several. */
  tries: number
  /** Calls to an external system that failed, by kind of failure. */
  failures: Record<UpstreamFailureKind, number>
  /** The total duration of all completed calls, including the wait for a slot. */
  totalMilliseconds: number
  /** The durations of completed calls as cumulative buckets, in ascending order. */
  latency: LatencyBucket[]
  /** The number of calls in progress. */
  inFlight: number
  breaker: BreakerState
  breakerOpenings: number
}

/** The upper limits of the latency buckets, from the time of a nearby cached response to the longest that a partner waits. */
const bucketBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

export function createCounters(upstream: string): UpstreamCounters {
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

/** Counts the start of a call. Call the returned function when the call ends, with the failure if it failed. */
export function countCallStart(counters: UpstreamCounters): (failure?: UpstreamFailure) => void {
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

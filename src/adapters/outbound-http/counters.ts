import {
  type UpstreamFailure,
  type UpstreamFailureKind,
  upstreamFailureKinds,
} from '../../domain/kernel/upstream-failure.ts'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** What has happened with one upstream since the process began: the source of its metrics. */
export interface UpstreamCounters {
  upstream: string
  /** Calls that ended, whatever their outcome. */
  calls: number
  /** Requests sent for them, repeated ones included. */
  tries: number
  /** Calls that ended in a failure, by its kind. */
  failures: Record<UpstreamFailureKind, number>
  /** Time all ended calls took together, waiting for a slot included. */
  totalMilliseconds: number
  /** Calls begun and not ended. */
  inFlight: number
  breaker: BreakerState
  breakerOpenings: number
}

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
    counters.inFlight -= 1
    counters.calls += 1
    counters.totalMilliseconds += performance.now() - startedAt
    if (failure !== undefined) counters.failures[failure.kind] += 1
  }
}

import { type UpstreamFailureKind, upstreamFailureKinds } from '../kernel/upstream-failure.ts'

export const breakerStates = ['closed', 'half-open', 'open'] as const

/** Counts for one upstream since the process started. The metrics of that upstream show them. */
export interface UpstreamCounters {
  upstream: string
  /** The number of calls that have ended, whatever their outcome. */
  calls: number
  /** The number of requests sent. A call that is retried sends several. */
  tries: number
  /** Calls to an external system that failed, by kind of failure. */
  failures: Record<UpstreamFailureKind, number>
  /** The number of calls in progress. */
  inFlight: number
  breaker: (typeof breakerStates)[number]
  breakerOpenings: number
}

export function createCounters(upstream: string): UpstreamCounters {
  const failures = Object.fromEntries(upstreamFailureKinds.map((kind) => [kind, 0])) as UpstreamCounters['failures']
  return { upstream, calls: 0, tries: 0, failures, inFlight: 0, breaker: 'closed', breakerOpenings: 0 }
}

import type { IBreaker } from 'cockatiel'
import type { UpstreamFailure } from '../../kernel/upstream-failure.ts'

/** Decides when the breaker opens, based on the attempts that failed. */
export interface OutageEvidence {
  breaker: IBreaker
  /** Call this for every failed attempt that says something about the upstream, before the breaker sees the failure. `subject` is what the call is about, such as one property. */
  recordFailure(failure: UpstreamFailure, subject: string | undefined): void
}

/**
 * Opens the breaker after this many consecutive failures. Failures with a response (a status 500, an unusable body) count once per
 * subject, because an upstream that keeps failing for one property may work for the others. Refused connections, timeouts, 429,
 * 502, 503 and 504 count every time.
 */
export function createOutageEvidence(failuresToOpen: number): OutageEvidence {
  const failures = new Set<unknown>()
  return {
    recordFailure(failure, subject) {
      // The set stays small: once the threshold is reached, nothing more is recorded. Without a threshold, nothing is recorded at
      // all.
      if (failuresToOpen === Number.POSITIVE_INFINITY) return
      if (failures.size < failuresToOpen) failures.add(concernsSubjectOnly(failure) ? (subject ?? failure) : failure)
    },
    breaker: {
      // The library asks for this so that a breaker can be saved and restored. Ours never is: it lives as long as its process.
      state: undefined,
      success: () => failures.clear(),
      failure: () => failures.size >= failuresToOpen,
    },
  }
}

function concernsSubjectOnly({ kind, statusCode }: UpstreamFailure): boolean {
  switch (kind) {
    case 'status':
      return statusCode !== 429 && statusCode !== 502 && statusCode !== 503 && statusCode !== 504
    case 'redirect':
    case 'not-json':
    case 'wrong-shape':
    case 'too-large':
      return true
    default:
      return false
  }
}

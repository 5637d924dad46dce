import type { IBreaker } from 'cockatiel'
import type { UpstreamFailure } from '../../kernel/upstream-failure.ts'

/** The breaker's judgement, and where it is told what each failed try was. */
export interface OutageEvidence {
  breaker: IBreaker
  /** To be called with a failure before the breaker sees it. `subject`: what was asked about, such as one home. */
  witness(failure: UpstreamFailure, subject: string | undefined): void
}

/**
 * Opens the breaker after this many failures in a row, where a failure that was *answered* (a status 500, an unusable
 * body) counts once a subject: an upstream that stumbles over one home, however often it is asked about it, is not
 * down for all the others. One that refuses, hangs or says 429 or 503 is, so those count every time.
 */
export function outageEvidence(failuresToOpen: number): OutageEvidence {
  const failures = new Set<unknown>()
  return {
    witness(failure, subject) {
      // Bounded: beyond the threshold nothing more is learnt. Without one nothing is.
      if (failuresToOpen === Number.POSITIVE_INFINITY) return
      if (failures.size < failuresToOpen) failures.add(concernsSubjectOnly(failure) ? (subject ?? failure) : failure)
    },
    breaker: {
      // Neither read nor restored: a breaker lives as long as its process.
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

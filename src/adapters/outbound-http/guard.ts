import { CircuitState, circuitBreaker, ExponentialBackoff, handleWhen, isBrokenCircuitError, retry } from 'cockatiel'
import { createFairQueue } from '../../kernel/fair-queue.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { UpstreamLimits } from './limits.ts'
import { createOutageEvidence } from './outage-evidence.ts'

interface GuardedRun {
  repeatable: boolean
  subject: string | undefined
  /** Whose call it is: callers take turns. */
  caller: string
  /** Aborts at the call's deadline. */
  signal: AbortSignal
}

/** Guards calls with a concurrency limit under which callers take turns, retries and a circuit breaker. */
export interface Guard {
  run<Answer>(attempt: (deadline: AbortSignal) => Promise<Answer>, run: GuardedRun): Promise<Answer>
  onStateChange(listener: (state: CircuitState) => void): void
}

export function createGuard(upstream: string, limits: UpstreamLimits): Guard {
  const evidence = createOutageEvidence(limits.failuresToOpen)
  const turns = createFairQueue(
    {
      concurrency: limits.concurrency,
      maxWaiting: limits.queue,
      maxWaitingPerCaller: limits.queue,
    },
    () => new UpstreamFailure(upstream, 'overloaded', 'not called: too many calls are waiting'),
  )
  /** Failures of calls that waited so long for a slot that the upstream had no fair time to respond. */
  const cutShort = new WeakSet<Error>()
  const breaker = circuitBreaker(
    handleWhen((error) => !(error instanceof Error && cutShort.has(error))),
    { breaker: evidence.breaker, halfOpenAfter: limits.halfOpenAfterMs },
  )
  const backoff = new ExponentialBackoff({ initialDelay: limits.maxPauseMs / 8, maxDelay: limits.maxPauseMs })

  const circuitOpen = () =>
    new UpstreamFailure(upstream, 'circuit-open', 'not called: the circuit breaker is open after recent failures')

  async function run<Answer>(
    attempt: (deadline: AbortSignal) => Promise<Answer>,
    { repeatable, subject, caller, signal }: GuardedRun,
  ): Promise<Answer> {
    const deadlineAt = performance.now() + limits.deadlineMs
    const isWorthRetrying = (error: unknown) =>
      repeatable && mayRetry(error) && performance.now() + limits.maxPauseMs < deadlineAt
    const retrying = retry(handleWhen(isWorthRetrying), { maxAttempts: limits.retries, backoff })
    // A call that waited for a slot may reach its deadline before the upstream had a fair time to respond. That says how busy we
    // are, not how the upstream is.
    const waits = turns.isBusy()
    const recorded = async () => {
      try {
        return await attempt(signal)
      } catch (error) {
        if (waits && signal.aborted && error instanceof Error) cutShort.add(error)
        else if (error instanceof UpstreamFailure) evidence.recordFailure(error, subject)
        throw error
      }
    }
    const unlessOpen = async () => {
      // The caller may have stopped waiting during a pause. Another attempt would be aborted at once and count as an upstream
      // failure.
      signal.throwIfAborted()
      // By default, the library makes every call wait for the probe request, even if that hangs.
      if (breaker.state === CircuitState.HalfOpen) throw circuitOpen()
      return breaker.execute(recorded, signal)
    }
    try {
      return await turns.run(caller, () => retrying.execute(unlessOpen, signal), { signal })
    } catch (error) {
      if (isBrokenCircuitError(error)) throw circuitOpen()
      throw error
    }
  }

  return { run, onStateChange: (listener) => void breaker.onStateChange(listener) }
}

/** Whether a retry may succeed. If the upstream says when to retry, the call is not retried now. */
function mayRetry(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.retryAfterSeconds !== undefined) return false
  switch (error.kind) {
    case 'unreachable':
    case 'dropped':
    case 'timeout':
      return true
    case 'status':
      return error.statusCode === 429 || (error.statusCode ?? 0) >= 500
    default:
      return false
  }
}

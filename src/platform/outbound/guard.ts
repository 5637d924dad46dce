import {
  BrokenCircuitError,
  CircuitState,
  circuitBreaker,
  DelegateBackoff,
  handleType,
  handleWhen,
  isBrokenCircuitError,
  isTaskCancelledError,
  noop,
  retry,
  TaskCancelledError,
  type TimeoutPolicy,
  TimeoutStrategy,
  timeout,
} from 'cockatiel'
import { assertNoOpenTransaction } from '../db/open-transaction.ts'
import { createFairQueue } from '../kernel/fair-queue.ts'
import { currentPartner, currentTraceId } from '../kernel/request-context.ts'
import { inCallSpan } from '../kernel/spans.ts'
import { UpstreamFailure } from '../kernel/upstream-failure.ts'
import type { UpstreamCounters } from './counters.ts'

/** Time and load limits for one upstream. */
export interface UpstreamLimits {
  /** The longest time for one attempt, from connecting to the last byte, in milliseconds. */
  attemptMs: number
  /** The longest time for the whole call: the wait for a slot, the attempts and the pause between them. */
  deadlineMs: number
  /** The maximum size of a response's body in bytes. */
  maxBytes: number
  /** How many times a call that is safe to repeat is retried. */
  retries: number
  /** The maximum number of concurrent calls; up to `queue` more can wait. */
  concurrency: number
  queue: number
  /** The number of consecutive failures that opens the circuit breaker; Infinity if it never opens. */
  failuresToOpen: number
  /** How long an open breaker blocks calls before it lets one through as a probe. */
  halfOpenAfterMs: number
}

/** Limits that suit callers that wait at most 10 seconds: there is time for two attempts. */
export const defaultLimits: Readonly<UpstreamLimits> = {
  attemptMs: 4_000,
  deadlineMs: 9_000,
  maxBytes: 256 * 1024,
  retries: 1,
  concurrency: 32,
  queue: 256,
  failuresToOpen: 5,
  halfOpenAfterMs: 5_000,
}

/** The longest pause before a retry. It is random, so that calls that failed together are not retried together. */
const maxPauseMs = 250

/** A call, which may need several requests. */
export interface GuardedCall {
  /** A description of the call, for messages; contains no identifiers. */
  what: string
  /** Whether a failed attempt may be retried. */
  repeatable: boolean
  /** What the call is about, such as a property: repeated failures for one property do not count as an outage. */
  subject?: string | undefined
  /** Ends the call early, when the caller stops waiting. The upstream's deadline applies as well. */
  signal?: AbortSignal | undefined
}

/** Where failures are logged for the operator, such as a pino logger. */
export interface UpstreamLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/**
 * Guards calls to one upstream. Partners take turns under a limit on concurrent calls, a failed attempt is retried
 * where that is safe, a circuit breaker spares an upstream that is down, and every call is counted, and logged if it
 * fails.
 */
export type Guard = <Result>(call: GuardedCall, attempt: (signal: AbortSignal) => Promise<Result>) => Promise<Result>

/** `recordDuration` gets the seconds that each ended call took, including the wait for a slot. */
export function createGuard(
  counters: UpstreamCounters,
  limits: UpstreamLimits,
  { log, recordDuration }: { log?: UpstreamLog | undefined; recordDuration?: ((seconds: number) => void) | undefined },
): Guard {
  const name = counters.upstream
  const turns = createFairQueue(
    { concurrency: limits.concurrency, maxWaiting: limits.queue, maxWaitingPerCaller: limits.queue },
    () => new UpstreamFailure(name, 'overloaded', 'not called: too many calls are waiting'),
  )
  const deadline = timeout(limits.deadlineMs, TimeoutStrategy.Aggressive)
  const backoff = new DelegateBackoff(() => Math.random() * maxPauseMs)
  const retrying = retry(handleWhen(mayRetry), { maxAttempts: limits.retries, backoff })

  /**
   * The consecutive failures that speak for an outage: each one, or its subject if the upstream may work for other
   * subjects.
   */
  const failing = new Set<unknown>()
  const breaker = circuitBreaker(handleType(UpstreamFailure), {
    halfOpenAfter: limits.halfOpenAfterMs,
    breaker: {
      // The library asks for this so that a breaker can be saved and restored. Ours never is: it lives as long as its
      // process.
      state: undefined,
      success: () => failing.clear(),
      failure: () => failing.size >= limits.failuresToOpen,
    },
  })
  breaker.onStateChange((state) => {
    counters.breaker = state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'half-open' : 'open'
    if (counters.breaker === 'open') counters.breakerOpenings += 1
    log?.info({ upstream: name, breaker: counters.breaker }, `${name}: circuit breaker is ${counters.breaker}`)
  })

  function recordFailure(failure: UpstreamFailure, subject: string | undefined): void {
    if (limits.failuresToOpen === Number.POSITIVE_INFINITY || failing.size >= limits.failuresToOpen) return
    failing.add(concernsSubjectOnly(failure) ? (subject ?? failure) : failure)
  }

  /** The call's failure, or undefined if the error is a bug in this program. */
  function failureOf(error: unknown, { what, signal }: GuardedCall): UpstreamFailure | undefined {
    if (isBrokenCircuitError(error))
      return new UpstreamFailure(name, 'circuit-open', 'not called: the circuit breaker is open after recent failures')
    if (!isTaskCancelledError(error)) return error instanceof UpstreamFailure ? error : undefined
    if (signal?.aborted)
      return new UpstreamFailure(name, 'timeout', 'the caller stopped waiting', { cause: signal.reason })
    return new UpstreamFailure(name, 'timeout', `${what} took longer than ${limits.deadlineMs} ms`)
  }

  function report(failure: UpstreamFailure): void {
    counters.failures[failure.kind] += 1
    // The open breaker was logged once; a line for each call would add nothing.
    if (failure.kind === 'circuit-open') return
    const { kind, statusCode, message } = failure
    log?.warn({ upstream: name, kind, statusCode, traceId: currentTraceId() }, message)
  }

  return async (call, attempt) => {
    assertNoOpenTransaction(name)
    const waits = turns.isBusy()
    const recorded = async (signal: AbortSignal) => {
      try {
        return await attempt(signal)
      } catch (error) {
        // After a wait, the upstream had no fair time to respond. That says how busy we are, not how the upstream is.
        if (waits && signal.aborted) throw new TaskCancelledError()
        if (error instanceof UpstreamFailure) recordFailure(error, call.subject)
        throw error
      }
    }
    const unlessOpen = async (signal: AbortSignal) => {
      // The caller may have stopped waiting during the pause. Another attempt would be aborted at once and count as a
      // failure.
      signal.throwIfAborted()
      // By default, the library makes every call wait for the probe request, even if that hangs.
      if (breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError()
      return breaker.execute(() => recorded(signal))
    }
    const policy = call.repeatable ? retrying : noop
    const inTurn = (signal: AbortSignal) =>
      turns.run(currentPartner() ?? '', () => policy.execute(() => unlessOpen(signal), signal), { signal })
    return inCallSpan(name, async () => {
      const startedAt = performance.now()
      counters.inFlight += 1
      try {
        return await within(deadline, inTurn, call.signal)
      } catch (error) {
        const failure = failureOf(error, call)
        if (failure === undefined) throw error
        report(failure)
        throw failure
      } finally {
        counters.inFlight -= 1
        counters.calls += 1
        recordDuration?.((performance.now() - startedAt) / 1_000)
      }
    })
  }
}

/**
 * Runs `work` until the limit is reached or `outer` aborts; then throws a TaskCancelledError, even if the work cannot
 * be aborted at once (connecting, waiting in a queue).
 */
export function within<Result>(
  limit: TimeoutPolicy,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  return limit.execute(async ({ signal }) => {
    try {
      return await work(signal)
    } catch (error) {
      throw signal.aborted ? new TaskCancelledError() : error
    }
  }, outer)
}

/** Whether a retry may succeed. If the upstream says when to retry, the call is not retried now. */
function mayRetry(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure) || error.retryAfterSeconds !== undefined) return false
  if (error.kind === 'status') return error.statusCode === 429 || (error.statusCode ?? 0) >= 500
  return error.kind === 'unreachable' || error.kind === 'dropped' || error.kind === 'timeout'
}

/**
 * Whether the upstream may work for other subjects: it responded, with a status such as 500 or an unusable body.
 * Refused connections, timeouts, 429, 502, 503 and 504 are about all of them.
 */
function concernsSubjectOnly({ kind, statusCode = 0 }: UpstreamFailure): boolean {
  if (kind === 'status') return ![429, 502, 503, 504].includes(statusCode)
  return kind === 'redirect' || kind === 'not-json' || kind === 'wrong-shape' || kind === 'too-large'
}

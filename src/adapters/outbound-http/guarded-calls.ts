import { AsyncLocalStorage } from 'node:async_hooks'
import { CircuitState } from 'cockatiel'
import { currentPartner, currentTraceId } from '../../kernel/request-context.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { countCallStart, createCounters, type UpstreamCounters } from './counters.ts'
import { createFailureReport } from './failure-report.ts'
import { createGuard } from './guard.ts'
import type { UpstreamLimits } from './limits.ts'
import { rejectOnAbort, startTimeLimit } from './time-limit.ts'

/** Where failures are logged for the operator, such as a pino logger. */
export interface UpstreamLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** One call, which may need several requests. */
interface GuardedCall {
  /** A description of the call, for messages; contains no identifiers. */
  what: string
  /** Whether a failed attempt may be retried. */
  repeatable: boolean
  /** What the call is about, such as a property: repeated failures for one property do not count as an outage. */
  subject?: string | undefined
  /** Ends the call early if the caller stops waiting. The upstream's deadline applies as well. */
  signal?: AbortSignal | undefined
}

/** Guards, counts and logs calls to one upstream, and enforces their deadline. Any transport can carry the requests. */
export interface GuardedCalls {
  /**
   * Returns the result of `attempt`, within the deadline. `attempt` must throw `UpstreamFailure` for the upstream's failures; any
   * other error is a bug in this program and is rethrown without being counted as a failure.
   */
  run<Answer>(call: GuardedCall, attempt: (deadline: AbortSignal) => Promise<Answer>): Promise<Answer>
  /** Call this for every request sent. */
  countAttempt(): void
  counters(): UpstreamCounters
  /** Call this once the upstream is no longer used. Logs any failures that have not been logged yet. */
  end(): void
}

export function createGuardedCalls(name: string, limits: UpstreamLimits, log: UpstreamLog | undefined): GuardedCalls {
  const counters = createCounters(name)
  const report = log === undefined ? undefined : createFailureReport({ counters, warn: (...line) => log.warn(...line) })
  const guard = createGuard(name, limits)
  guard.onStateChange((state) => {
    counters.breaker = state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'half-open' : 'open'
    if (counters.breaker === 'open') counters.breakerOpenings += 1
    log?.info({ upstream: name, breaker: counters.breaker }, `${name}: circuit breaker is ${counters.breaker}`)
  })

  async function run<Answer>(
    { what, repeatable, subject, signal }: GuardedCall,
    attempt: (deadline: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const late = () => new UpstreamFailure(name, 'timeout', `${what} took longer than ${limits.deadlineMs} ms`)
    const countOut = countCallStart(counters)
    const deadline = startTimeLimit(limits.deadlineMs, late, signal)
    // A call that waited for a slot is started by the call that freed the slot. Without this, it would join that call's trace.
    const inOwnContext = AsyncLocalStorage.bind(attempt)
    try {
      const work = guard.run(inOwnContext, {
        repeatable,
        subject,
        caller: currentPartner() ?? '',
        signal: deadline.signal,
      })
      const response = await rejectOnAbort(deadline.signal, work)
      countOut()
      return response
    } catch (error) {
      const failure = asFailure(error, signal, name)
      if (failure !== undefined) report?.note()
      countOut(failure)
      if (failure === undefined) throw error
      // The open breaker was logged once; a line for each call would add nothing.
      if (failure.kind !== 'circuit-open') {
        const { kind, statusCode } = failure
        log?.warn({ upstream: name, kind, statusCode, traceId: currentTraceId() }, failure.message)
      }
      throw failure
    } finally {
      deadline.end()
    }
  }

  return {
    run,
    countAttempt() {
      counters.tries += 1
    },
    counters: () => structuredClone(counters),
    end: () => report?.end(),
  }
}

/**
 * The call's failure, or undefined if the error is a bug in this program. If the caller's signal has aborted, the error is that
 * signal's reason, which can be any error.
 */
function asFailure(error: unknown, signal: AbortSignal | undefined, upstream: string): UpstreamFailure | undefined {
  if (error instanceof UpstreamFailure) return error
  if (signal?.aborted) return new UpstreamFailure(upstream, 'timeout', 'the caller stopped waiting', { cause: error })
  return undefined
}

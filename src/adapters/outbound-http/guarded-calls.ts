import { AsyncLocalStorage } from 'node:async_hooks'
import { CircuitState } from 'cockatiel'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { beginCall, noCalls, type UpstreamCounters } from './counters.ts'
import { failureReport } from './failure-report.ts'
import { createGuard } from './guard.ts'
import type { UpstreamLimits } from './limits.ts'
import { timeLimit, untilAborted } from './time-limit.ts'

/** Where failures are told to the operator; pino fits. */
export interface UpstreamLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** One call, which may take several requests. */
export interface GuardedCall {
  /** What it asks, in a message: no identifier of anybody. */
  what: string
  /** Whether a failed try may be repeated. */
  repeatable: boolean
  /** What is asked about, so that one home the upstream stumbles over does not count as an outage for all. */
  subject?: string | undefined
  /** The caller's own limit, beside the upstream's. */
  signal?: AbortSignal | undefined
}

/** Calls to one outside system, whoever carries the requests: held to a deadline, guarded, counted and told of. */
export interface GuardedCalls {
  /**
   * What `attempt` gives, within the deadline. It throws `UpstreamFailure` for what is the outside system's doing; everything
   * else it throws is a fault of this program, and is passed on uncounted.
   */
  run<Answer>(call: GuardedCall, attempt: (deadline: AbortSignal) => Promise<Answer>): Promise<Answer>
  /** To be called for every request that is sent. */
  countTry(): void
  counters(): UpstreamCounters
  /** Tells what has not been told yet. */
  end(): void
}

export function createGuardedCalls(name: string, limits: UpstreamLimits, log: UpstreamLog | undefined): GuardedCalls {
  const counters = noCalls(name)
  const report = log === undefined ? undefined : failureReport({ counters, warn: (...line) => log.warn(...line) })
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
    const countOut = beginCall(counters)
    const deadline = timeLimit(limits.deadlineMs, late, signal)
    // A call that had to wait for a slot is begun by whoever frees it, and would otherwise go out as part of that one's trace.
    const inOwnContext = AsyncLocalStorage.bind(attempt)
    try {
      const work = guard.run(inOwnContext, { repeatable, subject, signal: deadline.signal })
      const answer = await untilAborted(deadline.signal, work)
      countOut()
      return answer
    } catch (error) {
      const failure = asFailure(error, signal, name)
      if (failure !== undefined) report?.note()
      countOut(failure)
      if (failure === undefined) throw error
      // While the breaker is open its state has been logged once; a line for every call would say nothing more.
      if (failure.kind !== 'circuit-open') {
        log?.warn({ upstream: name, kind: failure.kind, statusCode: failure.statusCode }, failure.message)
      }
      throw failure
    } finally {
      deadline.end()
    }
  }

  return {
    run,
    countTry() {
      counters.tries += 1
    },
    counters: () => structuredClone(counters),
    end: () => report?.end(),
  }
}

/** The failure of the call, or undefined for a fault in this program. A caller's signal aborts with a reason of its own. */
function asFailure(error: unknown, signal: AbortSignal | undefined, upstream: string): UpstreamFailure | undefined {
  if (error instanceof UpstreamFailure) return error
  if (signal?.aborted) return new UpstreamFailure(upstream, 'timeout', 'the caller stopped waiting', { cause: error })
  return undefined
}

import { CircuitState } from 'cockatiel'
import { Pool } from 'undici'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import { UpstreamFailure } from '../../domain/kernel/upstream-failure.ts'
import type { AnswerShapes, ShapedAnswer } from './answer-shape.ts'
import { parseBaseUrl } from './base-url.ts'
import { beginCall, noCalls, type UpstreamCounters } from './counters.ts'
import { exchange } from './exchange.ts'
import { failureReport } from './failure-report.ts'
import { createGuard } from './guard.ts'
import { defaultLimits, type UpstreamLimits } from './limits.ts'
import { timeLimit, untilAborted } from './time-limit.ts'
import { outgoingRequest, type UpstreamCall } from './upstream-call.ts'

/** The one guarded way to an outside system that answers in JSON. */
export interface Upstream {
  /**
   * The answer, of one of the shapes asked for. Throws `UpstreamFailure` for everything else, within the deadline, and an
   * Error inside a database transaction.
   */
  call<Shapes extends AnswerShapes>(call: UpstreamCall<Shapes>): Promise<ShapedAnswer<Shapes>>
  counters(): UpstreamCounters
  /** Waits for calls under way, each within its limits, and closes the connections. */
  close(): Promise<void>
}

/** Where failures are told to the operator; pino fits. */
export interface UpstreamLog {
  warn(fields: object, message: string): void
  info(fields: object, message: string): void
}

export interface UpstreamOptions {
  /** Stands in messages and metrics. */
  name: string
  /** May hold credentials, which are sent as HTTP Basic, and a path that stands before every other. */
  baseUrl: string
  limits?: Partial<UpstreamLimits> | undefined
  log?: UpstreamLog | undefined
  /** The `traceparent` of the request being worked on, to be continued. */
  traceparent?: (() => string | undefined) | undefined
}

/** Throws an Error where the base URL cannot be used; connects to nothing yet. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { name, log } = options
  const limits = { ...defaultLimits, ...options.limits }
  const base = parseBaseUrl(name, options.baseUrl)
  const counters = noCalls(name)
  const report = log === undefined ? undefined : failureReport({ counters, warn: (...line) => log.warn(...line) })
  const guard = createGuard(name, limits)
  guard.onStateChange((state) => {
    counters.breaker = state === CircuitState.Closed ? 'closed' : state === CircuitState.HalfOpen ? 'half-open' : 'open'
    if (counters.breaker === 'open') counters.breakerOpenings += 1
    log?.info({ upstream: name, breaker: counters.breaker }, `${name}: circuit breaker is ${counters.breaker}`)
  })
  const pool = new Pool(base.origin, {
    connections: limits.concurrency,
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    maxResponseSize: limits.maxBytes,
    allowH2: false,
  })

  async function call<Shapes extends AnswerShapes>(asked: UpstreamCall<Shapes>): Promise<ShapedAnswer<Shapes>> {
    refuseInsideTransaction(name)
    const request = outgoingRequest({ name, base, traceparent: options.traceparent?.() }, asked)
    const late = (milliseconds: number) => () =>
      new UpstreamFailure(name, 'timeout', `${request.method} ${request.path} took longer than ${milliseconds} ms`)
    const attempt = async (deadline: AbortSignal) => {
      counters.tries += 1
      const limit = timeLimit(limits.attemptMs, late(limits.attemptMs), deadline)
      return untilAborted(limit.signal, exchange(pool, request, limit.signal)).finally(limit.end)
    }
    const countOut = beginCall(counters)
    const deadline = timeLimit(limits.deadlineMs, late(limits.deadlineMs), asked.signal)
    try {
      const repeatable = asked.repeatable ?? request.method === 'GET'
      const work = guard.run(attempt, { repeatable, subject: asked.subject, signal: deadline.signal })
      const answer = await untilAborted(deadline.signal, work)
      countOut()
      return answer
    } catch (error) {
      const failure = asFailure(error, asked.signal, name)
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
    call,
    counters: () => structuredClone(counters),
    async close() {
      await pool.close()
      report?.end()
    },
  }
}

/** The failure of the call, or undefined for a fault in this program. A caller's signal aborts with a reason of its own. */
function asFailure(error: unknown, signal: AbortSignal | undefined, upstream: string): UpstreamFailure | undefined {
  if (error instanceof UpstreamFailure) return error
  if (signal?.aborted) return new UpstreamFailure(upstream, 'timeout', 'the caller stopped waiting', { cause: error })
  return undefined
}

import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { AnswerShapes, ShapedAnswer } from './answer-shape.ts'
import { parseBaseUrl } from './base-url.ts'
import type { UpstreamCounters } from './counters.ts'
import { exchange } from './exchange.ts'
import { createGuardedCalls, type UpstreamLog } from './guarded-calls.ts'
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

export interface UpstreamOptions {
  /** Stands in messages and metrics. */
  name: string
  /** May hold credentials, which are sent as HTTP Basic, and a path that stands before every other. */
  baseUrl: string
  limits?: Partial<UpstreamLimits> | undefined
  log?: UpstreamLog | undefined
  /** The `traceparent` of the request being worked on, to be continued. */
  traceparent?: (() => string | undefined) | undefined
  /** Its `tracestate`, to be passed on. */
  tracestate?: (() => string | undefined) | undefined
  /** How the host's name becomes an address; the system's own way unless told. */
  lookup?: LookupFunction | undefined
}

/** Throws an Error where the base URL cannot be used; connects to nothing yet. */
export function createUpstream({ name, baseUrl, log, ...options }: UpstreamOptions): Upstream {
  const limits = { ...defaultLimits, ...options.limits }
  const base = parseBaseUrl(name, baseUrl)
  const calls = createGuardedCalls(name, limits, log)
  const pool = new Pool(base.origin, {
    connections: limits.concurrency,
    connect: { timeout: limits.connectMs, ...(options.lookup === undefined ? {} : { lookup: options.lookup }) },
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    maxResponseSize: limits.maxBytes,
    allowH2: false,
  })

  async function call<Shapes extends AnswerShapes>(asked: UpstreamCall<Shapes>): Promise<ShapedAnswer<Shapes>> {
    refuseInsideTransaction(name)
    const trace = { traceparent: options.traceparent?.(), tracestate: options.tracestate?.() }
    const request = outgoingRequest({ name, base, trace }, asked)
    const what = `${request.method} ${request.path}`
    const late = () => new UpstreamFailure(name, 'timeout', `${what} took longer than ${limits.attemptMs} ms`)
    const repeatable = asked.repeatable ?? request.method === 'GET'
    return calls.run({ what, repeatable, subject: asked.subject, signal: asked.signal }, async (deadline) => {
      calls.countTry()
      const limit = timeLimit(limits.attemptMs, late, deadline)
      return untilAborted(limit.signal, exchange(pool, request, limit.signal)).finally(limit.end)
    })
  }

  return {
    call,
    counters: calls.counters,
    async close() {
      await pool.close()
      calls.end()
    },
  }
}

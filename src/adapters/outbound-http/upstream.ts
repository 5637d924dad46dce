import type { LookupFunction } from 'node:net'
import { Pool } from 'undici'
import { assertNoOpenTransaction } from '../../db/open-transaction.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { parseBaseUrl } from './base-url.ts'
import type { UpstreamCounters } from './counters.ts'
import { exchange } from './exchange.ts'
import { createGuardedCalls, type UpstreamLog } from './guarded-calls.ts'
import { defaultLimits, type UpstreamLimits } from './limits.ts'
import type { ResponseShapes, ShapedResponse } from './response-shape.ts'
import { rejectOnAbort, startTimeLimit } from './time-limit.ts'
import { outgoingRequest, type UpstreamCall } from './upstream-call.ts'

/** The guarded client for one upstream that returns JSON. */
export interface Upstream {
  /**
   * Returns a response that is valid for one of the call's schemas, within the deadline. Throws `UpstreamFailure` for anything
   * else, and an Error if called inside a database transaction.
   */
  call<Shapes extends ResponseShapes>(call: UpstreamCall<Shapes>): Promise<ShapedResponse<Shapes>>
  counters(): UpstreamCounters
  /** Waits for current calls to end, each within its time limit, and closes the connections. */
  close(): Promise<void>
}

export interface UpstreamOptions {
  /** The name of the upstream in messages and metrics. */
  name: string
  /** May contain credentials, which are sent as HTTP Basic, and a path, which is prepended to the path of every call. */
  baseUrl: string
  limits?: Partial<UpstreamLimits> | undefined
  log?: UpstreamLog | undefined
  /** Returns the current request's `traceparent`, so that outgoing calls continue its trace. */
  traceparent?: (() => string | undefined) | undefined
  /** Returns the current request's `tracestate`, which outgoing calls pass on. */
  tracestate?: (() => string | undefined) | undefined
  /** Resolves the host's name; defaults to the system's resolver. */
  lookup?: LookupFunction | undefined
}

/** Throws an Error if the base URL is unusable. Does not connect yet. */
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

  async function call<Shapes extends ResponseShapes>(asked: UpstreamCall<Shapes>): Promise<ShapedResponse<Shapes>> {
    assertNoOpenTransaction(name)
    const trace = { traceparent: options.traceparent?.(), tracestate: options.tracestate?.() }
    const request = outgoingRequest({ name, base, trace }, asked)
    const what = `${request.method} ${request.path}`
    const late = () => new UpstreamFailure(name, 'timeout', `${what} took longer than ${limits.attemptMs} ms`)
    const repeatable = asked.repeatable ?? request.method === 'GET'
    return calls.run({ what, repeatable, subject: asked.subject, signal: asked.signal }, async (deadline) => {
      calls.countAttempt()
      const limit = startTimeLimit(limits.attemptMs, late, deadline)
      return rejectOnAbort(limit.signal, exchange(pool, request, limit.signal)).finally(limit.end)
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

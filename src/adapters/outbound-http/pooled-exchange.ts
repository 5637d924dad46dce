import type { LookupFunction } from 'node:net'
import { Agent, fetch, type Headers, type RequestInit } from 'undici'
import type { UpstreamLimits } from './limits.ts'
import { transportFailure } from './transport-failure.ts'

/** An answer, read to its end. */
export interface WholeAnswer {
  status: number
  headers: Headers
  text: string
}

/** One outside system's connections, for a library that makes its own requests in the form of `fetch`. */
export interface PooledExchange {
  /** Whatever was answered, redirects included. Throws the signal's reason where it aborts, and `UpstreamFailure` where nothing usable came. */
  send(url: string | URL, init: RequestInit): Promise<WholeAnswer>
  close(): Promise<void>
}

type PoolLimits = Pick<UpstreamLimits, 'concurrency' | 'connectMs' | 'maxBytes'>

/** `lookup`: how the host's name becomes an address; the system's own way unless told. */
export function createPooledExchange(
  upstream: string,
  { concurrency, connectMs, maxBytes }: PoolLimits,
  lookup?: LookupFunction,
): PooledExchange {
  const dispatcher = new Agent({
    connections: concurrency,
    connect: { timeout: connectMs, ...(lookup === undefined ? {} : { lookup }) },
    maxResponseSize: maxBytes,
    allowH2: false,
  })
  return {
    async send(url, init) {
      // Its path may name somebody's customer or card.
      const call = `a ${init.method ?? 'GET'} request`
      let answering = false
      try {
        const response = await fetch(url, { ...init, redirect: 'manual', dispatcher })
        answering = true
        return { status: response.status, headers: response.headers, text: await response.text() }
      } catch (error) {
        if (init.signal?.aborted) throw init.signal.reason
        // fetch says no more than that it failed; why is in the cause.
        const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error
        throw transportFailure(cause, { upstream, call, answering })
      }
    },
    close: () => dispatcher.destroy(),
  }
}

import type { LookupFunction } from 'node:net'
import { Agent, fetch, type Headers, type RequestInit } from 'undici'
import type { UpstreamLimits } from './limits.ts'
import { transportFailure } from './transport-failure.ts'

/** A response with its complete body. */
interface CompleteResponse {
  status: number
  headers: Headers
  text: string
}

/** One upstream's connections, for a library that makes its own requests with a `fetch` function. */
export interface PooledExchange {
  /**
   * Returns any response, including redirects. Throws the signal's reason if it aborts, and `UpstreamFailure` if there is no usable
   * response.
   */
  send(url: string | URL, init: RequestInit): Promise<CompleteResponse>
  close(): Promise<void>
}

type PoolLimits = Pick<UpstreamLimits, 'concurrency' | 'connectMs' | 'maxBytes'>

/** `lookup` resolves the host's name; defaults to the system's resolver. */
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
      // The path may contain a customer or card id.
      const call = `a ${init.method ?? 'GET'} request`
      let responding = false
      try {
        const response = await fetch(url, { ...init, redirect: 'manual', dispatcher })
        responding = true
        return { status: response.status, headers: response.headers, text: await response.text() }
      } catch (error) {
        if (init.signal?.aborted) throw init.signal.reason
        // The error that fetch throws says only that the request failed; its `cause` has the reason.
        const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error
        throw transportFailure(cause, { upstream, call, responding })
      }
    },
    close: () => dispatcher.destroy(),
  }
}

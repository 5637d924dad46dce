import Stripe from 'stripe'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { PooledExchange } from '../outbound-http/pooled-exchange.ts'
import { readRetryAfter } from '../outbound-http/retry-after.ts'
import { traceHeaders } from '../outbound-http/traceparent.ts'

/** How the processor is reached. */
export interface StripeConnection {
  /** Stands in messages and metrics. */
  name: string
  secretKey: string
  /** Scheme, host and port only, e.g. `https://api.stripe.com`. */
  apiBase: URL
  /** The longest one call may take, its further requests and their repetition included; above 500, below 10,000. */
  timeoutMs: number
  /** The `traceparent` of the request being worked on, to be continued. */
  traceparent?: (() => string | undefined) | undefined
  /** Its `tracestate`, to be passed on. */
  tracestate?: (() => string | undefined) | undefined
}

/** Request options that keep one request, repetition included, within what is left of a call's time. */
export type WithinLimit = () => { timeout: number }

/** The library waits this long before it repeats a call, and repeats it once. */
const pauseBeforeRetryMs = 500

/**
 * The official client, held to a total time for each call. The library's own Node transport limits only silence, so a
 * server that answers byte by byte would never run into it; its fetch transport limits the whole exchange, and is given
 * the processor's own connections. Telemetry would write an identifier into the home directory: off. `onRequest` is called for
 * every request that goes out.
 */
export function createStripeClient(
  connection: StripeConnection,
  exchange: PooledExchange,
  onRequest: () => void,
): Stripe {
  const { name, secretKey, apiBase, timeoutMs } = connection
  if (apiBase.pathname !== '/' || apiBase.search !== '' || apiBase.username !== '') {
    throw new Error(
      'The payment processor base URL must have a scheme, a host and a port only, e.g. https://api.stripe.com.',
    )
  }
  if (!(timeoutMs > pauseBeforeRetryMs && timeoutMs < 10_000)) {
    throw new Error('The payment processor time limit must be above 500 and below 10,000 milliseconds.')
  }
  const https = apiBase.protocol === 'https:'
  return new Stripe(secretKey, {
    protocol: https ? 'https' : 'http',
    host: apiBase.hostname,
    port: apiBase.port === '' ? (https ? 443 : 80) : Number(apiBase.port),
    maxNetworkRetries: 1,
    timeout: timeoutOfEachTry(timeoutMs),
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient((url, init) => {
      onRequest()
      const trace = { traceparent: connection.traceparent?.(), tracestate: connection.tracestate?.() }
      const headers = new Headers(init?.headers)
      for (const [header, value] of Object.entries(traceHeaders(trace))) headers.set(header, value)
      return askProcessor(name, exchange, {
        url: url instanceof Request ? url.url : url,
        method: init?.method ?? 'GET',
        headers,
        // The library writes form bodies as text, and has no other.
        body: typeof init?.body === 'string' && init.body !== '' ? init.body : null,
        signal: init?.signal ?? null,
      })
    }),
  })
}

interface ProcessorRequest {
  url: string | URL
  method: string
  headers: Headers
  body: string | null
  signal: AbortSignal | null
}

/**
 * The library takes any JSON without an `error` for the object it asked for, whatever the status: a gateway's own
 * `{"message": …}` with a 502 would pass for a customer without an id. Such an answer is not the processor's, and neither
 * is a redirect.
 */
async function askProcessor(
  name: string,
  exchange: PooledExchange,
  { url, headers, ...request }: ProcessorRequest,
): Promise<Response> {
  const answer = await exchange.send(url, { ...request, headers: Object.fromEntries(headers) })
  const { status: statusCode, text } = answer
  const whole = new Response(text, { status: statusCode, headers: Object.fromEntries(answer.headers) })
  if (whole.ok || holdsError(text)) return whole
  if (statusCode < 400)
    throw new UpstreamFailure(name, 'redirect', `returned a redirect (${statusCode}), which is not followed`)
  // A status below 500 that is not the processor's says nothing about what was asked of it.
  throw new UpstreamFailure(name, 'status', `returned status ${statusCode} without an error object`, {
    ...(statusCode < 500 ? {} : { statusCode }),
    retryAfterSeconds: readRetryAfter(answer.headers.get('retry-after')),
  })
}

function holdsError(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'error' in answer && Boolean(answer.error)
  } catch {
    return false
  }
}

/**
 * Starts the clock of one call, which may take several requests. What it gives throws `UpstreamFailure` once the time is
 * up. Throws an Error inside a database transaction.
 */
export function startLimit({ name, timeoutMs }: Pick<StripeConnection, 'name' | 'timeoutMs'>): WithinLimit {
  refuseInsideTransaction('the payment processor')
  const end = performance.now() + timeoutMs
  return () => {
    const timeout = timeoutOfEachTry(end - performance.now())
    if (timeout > 0) return { timeout }
    throw new UpstreamFailure(name, 'timeout', 'the time for one call was used up')
  }
}

function timeoutOfEachTry(totalMs: number): number {
  return Math.floor((totalMs - pauseBeforeRetryMs) / 2)
}

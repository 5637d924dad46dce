import type Stripe from 'stripe'
import { assertNoOpenTransaction } from '../../db/open-transaction.ts'
import { traceHeaders } from '../../kernel/request-context.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import type { PooledExchange } from '../outbound-http/pooled-exchange.ts'
import { readRetryAfter } from '../outbound-http/retry-after.ts'

/** How to connect to the processor. */
export interface StripeConnection {
  /** The name of the payment processor in messages and metrics. */
  name: string
  secretKey: string
  /** Only a scheme, a host and an optional port, e.g. `https://api.stripe.com`. */
  apiBase: URL
  /** The longest a call may take, including further requests and retries, in milliseconds: above 500 and below 10,000. */
  timeoutMs: number
  /** Returns the current request's `traceparent`, so that outgoing calls continue its trace. */
  traceparent?: (() => string | undefined) | undefined
  /** Returns the current request's `tracestate`, which outgoing calls pass on. */
  tracestate?: (() => string | undefined) | undefined
}

/** Returns the request options that keep one request, including retries, within the time left for its call. */
export type GetTimeoutOptions = () => { timeout: number }

/** The library waits this long before its only retry. */
const pauseBeforeRetryMs = 500

/**
 * The official Stripe client with a total time limit for each call. It uses the library's fetch transport, which limits the whole
 * exchange, over the processor's connection pool. The library's Node transport only limits how long no data arrives, so a server that
 * sends byte by byte would never time out. Telemetry is off, because it would write an id into the home directory. `onRequest` is
 * called for every outgoing request. The client is created at its first use, because it takes a lot of memory.
 */
export function prepareStripeClient(
  connection: StripeConnection,
  exchange: PooledExchange,
  onRequest: () => void,
): () => Promise<Stripe> {
  const { apiBase, timeoutMs } = connection
  if (apiBase.pathname !== '/' || apiBase.search !== '' || apiBase.username !== '') {
    throw new Error(
      'The payment processor base URL must consist of only a scheme, a host and an optional port, e.g. https://api.stripe.com.',
    )
  }
  if (!(timeoutMs > pauseBeforeRetryMs && timeoutMs < 10_000)) {
    throw new Error('The payment processor time limit must be above 500 and below 10,000 milliseconds.')
  }
  let client: Promise<Stripe> | undefined
  return () => {
    client ??= openClient(connection, exchange, onRequest)
    return client
  }
}

async function openClient(
  connection: StripeConnection,
  exchange: PooledExchange,
  onRequest: () => void,
): Promise<Stripe> {
  const { name, secretKey, apiBase, timeoutMs } = connection
  const { default: Stripe } = await import('stripe')
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
      return requestProcessor(name, exchange, {
        url: url instanceof Request ? url.url : url,
        method: init?.method ?? 'GET',
        headers,
        // The library always writes form bodies as text.
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
 * Rejects redirects, and responses that the library would mistake for the requested object. The library accepts any JSON without an
 * `error`, whatever the status: it would treat a gateway's 502 with `{"message": …}` as a customer without an id.
 */
async function requestProcessor(
  name: string,
  exchange: PooledExchange,
  { url, headers, ...request }: ProcessorRequest,
): Promise<Response> {
  const response = await exchange.send(url, { ...request, headers: Object.fromEntries(headers) })
  const { status: statusCode, text } = response
  const whole = new Response(text, { status: statusCode, headers: Object.fromEntries(response.headers) })
  if (whole.ok || holdsError(text)) return whole
  if (statusCode < 400)
    throw new UpstreamFailure(name, 'redirect', `returned a redirect (${statusCode}), which is not followed`)
  // A response without an error object, if its status is below 500, does not come from the processor.
  throw new UpstreamFailure(name, 'status', `returned status ${statusCode} without an error object`, {
    ...(statusCode < 500 ? {} : { statusCode }),
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  })
}

function holdsError(text: string): boolean {
  try {
    const response: unknown = JSON.parse(text)
    return typeof response === 'object' && response !== null && 'error' in response && Boolean(response.error)
  } catch {
    return false
  }
}

/**
 * Starts the time limit of one call, which may take several requests. The returned function throws `UpstreamFailure` once the time
 * is up. Throws an Error if called inside a database transaction.
 */
export function startCallTimeLimit({
  name,
  timeoutMs,
}: Pick<StripeConnection, 'name' | 'timeoutMs'>): GetTimeoutOptions {
  assertNoOpenTransaction('the payment processor')
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

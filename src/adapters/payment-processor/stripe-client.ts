import Stripe from 'stripe'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import { childTraceparent } from '../outbound-http/traceparent.ts'
import { processorUnavailable } from './stripe-failures.ts'

/** How the processor is reached. */
export interface StripeConnection {
  secretKey: string
  /** Scheme, host and port only, e.g. `https://api.stripe.com`. */
  apiBase: URL
  /** The longest one call may take, its further requests and their repetition included; above 500, below 10,000. */
  timeoutMs: number
  /** The `traceparent` of the request being worked on, to be continued. */
  traceparent?: (() => string | undefined) | undefined
}

/** Request options that keep one request, repetition included, within what is left of a call's time. */
export type WithinLimit = () => { timeout: number }

/** The library waits this long before it repeats a call, and repeats it once. */
const pauseBeforeRetryMs = 500

/**
 * The official client, held to a total time for each call. The library's own Node transport limits only silence, so a
 * server that answers byte by byte would never run into it; its fetch transport limits the whole exchange. Telemetry
 * would write an identifier into the home directory, and a redirect would carry the request to another host: both off.
 */
export function createStripeClient({ secretKey, apiBase, timeoutMs, traceparent }: StripeConnection): Stripe {
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
      const headers = new Headers(init?.headers)
      headers.set('traceparent', childTraceparent(traceparent?.()))
      return fetchProcessorAnswer(url, { ...init, headers })
    }),
  })
}

/**
 * The library takes any JSON without an `error` for the object it asked for, whatever the status: a gateway's own
 * `{"message": …}` with a 502 would pass for a customer without an id. Such an answer is not the processor's: it counts
 * as a failed connection.
 */
async function fetchProcessorAnswer(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' })
  if (response.ok) return response
  const text = await response.text()
  if (holdsError(text)) return new Response(text, { status: response.status, headers: response.headers })
  throw new TypeError(`status ${response.status} without an error of the processor's`)
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
 * Starts the clock of one call, which may take several requests. Throws `service_unavailable` once the time is up, and an
 * Error inside a database transaction.
 */
export function startLimit(timeoutMs: number): WithinLimit {
  refuseInsideTransaction('the payment processor')
  const end = performance.now() + timeoutMs
  return () => {
    const timeout = timeoutOfEachTry(end - performance.now())
    if (timeout > 0) return { timeout }
    throw processorUnavailable(2, new Error('Payment processor: the time for one call was used up.'))
  }
}

function timeoutOfEachTry(totalMs: number): number {
  return Math.floor((totalMs - pauseBeforeRetryMs) / 2)
}

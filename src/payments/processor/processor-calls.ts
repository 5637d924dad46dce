import type Stripe from 'stripe'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import { readRetryAfter, type Upstream } from '../../platform/outbound/upstream.ts'
import { readProcessorFailure, translateProcessorError } from './stripe-failures.ts'

/** The name of the payment processor in messages and metrics. */
export const paymentProcessorName = 'payment-processor'

/** Enough for the largest response that we request, a page of 100 events. */
export const maxProcessorResponseBytes = 4 * 1024 * 1024

/** Returns the request options that keep one request, including retries, within the time left for its call. */
export type GetTimeoutOptions = () => { timeout: number }

/** What one call does. */
type Work<Result> = (stripe: Stripe, within: GetTimeoutOptions) => Promise<Result>

/** One call, for which the Stripe client may send several requests. */
interface ProcessorCall {
  /** A description of the call, for messages. */
  what: string
  /** The customer or intent that the call is about. */
  subject?: string | undefined
  /** Ends the call when the caller stops waiting. Set for calls that share a time limit. */
  signal?: AbortSignal | undefined
}

/**
 * Makes a call with the official Stripe client, guarded like calls to any other upstream. Returns the result of `work`,
 * which must pass the options from `within` to each request of the client. Throws the errors that the port promises,
 * and an Error if called inside a database transaction.
 */
export type MakeProcessorCall = <Result>(call: ProcessorCall, work: Work<Result>) => Promise<Result>

/** The client is created at its first use, because it takes a lot of memory. */
export function createProcessorCalls(upstream: Upstream, secretKey: string): MakeProcessorCall {
  let client: Promise<Stripe> | undefined
  return async ({ what, subject, signal }, work) => {
    const end = performance.now() + upstream.limits.deadlineMs
    const within = () => {
      const timeout = timeoutOfEachTry(end - performance.now())
      if (timeout > 0) return { timeout }
      throw new UpstreamFailure(upstream.name, 'timeout', 'the time for one call was used up')
    }
    try {
      // The Stripe client does the retries itself, because it knows what its idempotency keys allow.
      const outcome = await upstream.guard({ what, repeatable: false, subject, signal }, async () => {
        client ??= openClient(upstream, secretKey)
        return judged(upstream.name, work(await client, within))
      })
      if ('error' in outcome) throw outcome.error
      return outcome.result
    } catch (error) {
      throw translateProcessorError(upstream.name, error)
    }
  }
}

/**
 * Throws if the processor failed. Errors that are valid responses or our own mistakes are returned, because they are
 * not failures of the processor.
 */
async function judged<Result>(name: string, work: Promise<Result>): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await work }
  } catch (error) {
    const failure = readProcessorFailure(name, error)
    if (failure === undefined) return { error }
    throw failure
  }
}

/** The library waits this long before its only retry. */
const pauseBeforeRetryMs = 500

function timeoutOfEachTry(totalMs: number): number {
  return Math.floor((totalMs - pauseBeforeRetryMs) / 2)
}

/**
 * The official Stripe client, whose requests the upstream sends. It uses the library's fetch transport, which limits
 * the whole exchange. The library's Node transport only limits how long no data arrives, so a server that sends byte by
 * byte would never time out. Telemetry is off, because it would write an id into the home directory.
 */
async function openClient(upstream: Upstream, secretKey: string): Promise<Stripe> {
  const { default: Stripe } = await import('stripe')
  return new Stripe(secretKey, {
    maxNetworkRetries: 1,
    timeout: timeoutOfEachTry(upstream.limits.deadlineMs),
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient((url, init) => {
      const { method = 'GET', headers, body, signal } = init ?? {}
      // The upstream has the address: only the rest of the library's URL counts.
      const { pathname, search } = new URL(url instanceof Request ? url.url : url)
      const request = {
        what: `a ${method} request`,
        method,
        target: `${pathname}${search}`,
        headers: Object.fromEntries(new Headers(headers)),
        // The library always writes form bodies as text.
        body: typeof body === 'string' && body !== '' ? body : null,
      }
      return requestProcessor(upstream, request, signal ?? AbortSignal.timeout(upstream.limits.deadlineMs))
    }),
  })
}

/**
 * Rejects redirects, and responses that the library would mistake for the requested object. The library accepts any
 * JSON without an
 * `error`, whatever the status: it would treat a gateway's 502 with `{"message": …}` as a customer without an id.
 */
async function requestProcessor(
  { name, send }: Upstream,
  request: Parameters<Upstream['send']>[0],
  signal: AbortSignal,
): Promise<Response> {
  const { status: statusCode, headers, text } = await send(request, signal)
  const whole = new Response(text, {
    status: statusCode,
    headers: Object.entries(headers).map(([header, value]): [string, string] => [header, String(value)]),
  })
  if (whole.ok || holdsError(text)) return whole
  if (statusCode < 400)
    throw new UpstreamFailure(name, 'redirect', `returned a redirect (${statusCode}), which is not followed`)
  // A response without an error object, if its status is below 500, does not come from the processor.
  throw new UpstreamFailure(name, 'status', `returned status ${statusCode} without an error object`, {
    ...(statusCode < 500 ? {} : { statusCode }),
    retryAfterSeconds: readRetryAfter(headers['retry-after']),
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

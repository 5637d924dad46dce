import type Stripe from 'stripe'
import { DomainError, invalidFields, notFound } from '../../platform/kernel/errors.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../platform/kernel/upstream-failure.ts'
import { readRetryAfter, type Upstream } from '../../platform/outbound/upstream.ts'

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
type MakeProcessorCall = <Result>(call: ProcessorCall, work: Work<Result>) => Promise<Result>

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

type Errors = typeof Stripe.errors

/** Any error of the Stripe library. */
type StripeError = InstanceType<Errors['StripeError']>

/**
 * Whether the Stripe library threw this. Looks for a property that all its errors have, not for their class: the
 * library, which takes 0.1 s to load, is loaded only with the first call.
 */
export function isStripeError(error: unknown): error is StripeError {
  return error instanceof Error && 'rawType' in error
}

/** Whether the Stripe library threw this error. */
export function isStripeErrorOf<
  Type extends 'StripeCardError' | 'StripeIdempotencyError' | 'StripeInvalidRequestError',
>(error: unknown, type: Type): error is InstanceType<Errors[Type]> {
  return isStripeError(error) && error.type === type
}

/**
 * Converts an error to a failure of the processor. Returns undefined if the processor did not fail: it reported an
 * unknown intent or an email address that it does not accept, or the error is a bug in this program. The library's
 * errors contain request headers and client secrets, so they are never passed on.
 */
function readProcessorFailure(processor: string, error: unknown): UpstreamFailure | undefined {
  if (error instanceof UpstreamFailure) return error
  if (!isStripeError(error) || isUnknownIntent(error) || isRejectedEmail(error)) return undefined
  if (error.detail instanceof UpstreamFailure) return error.detail
  const { statusCode } = error
  const retryAfterSeconds = retryAfterOf(error) ?? (statusCode === 429 ? 5 : undefined)
  return new UpstreamFailure(processor, kindOf(error), describe(error), { statusCode, retryAfterSeconds })
}

/**
 * Translates the error of a failed call for the caller. Returns `service_unavailable` if the processor is unreachable,
 * overloaded or failing, is blocked by the breaker, or rejects what the operator set up; `customer_details_refused` if
 * it rejects the tenant's email address; `not_found` for an unknown intent. Any other error is a bug in this program
 * and remains unexpected.
 */
function translateProcessorError(processor: string, error: unknown): unknown {
  if (error instanceof UpstreamFailure)
    return needsTheOperator(error)
      ? processorRejectsUs(error)
      : processorUnavailable(error.retryAfterSeconds ?? (error.kind === 'circuit-open' ? 5 : 2), error)
  if (!isStripeError(error)) return error
  if (isUnknownIntent(error)) return notFound('setup intent')
  return isRejectedEmail(error) ? emailRejected(new UpstreamFailure(processor, 'status', describe(error))) : error
}

export function processorUnavailable(retryAfterSeconds: number, cause: Error): DomainError {
  return new DomainError(
    'service_unavailable',
    'The payment processor is unavailable at the moment. Retry shortly; a retry does not take effect twice.',
    { retryAfterSeconds, cause },
  )
}

/** The log has the processor's code, parameter and request id: the message of `cause`. */
function processorRejectsUs(cause: UpstreamFailure): DomainError {
  return new DomainError(
    'service_unavailable',
    'The payment processor rejects the requests of this Housebill. Report the requestId to the operator, who can see the reason in the log; retry once they have solved it. Nothing was charged.',
    { retryAfterSeconds: 300, cause },
  )
}

function emailRejected(cause: UpstreamFailure): DomainError {
  const code = 'customer_details_refused'
  const detail =
    'The payment processor does not accept this email address. Correct it with PATCH /Customers/{id}, then create the setup intent again.'
  return invalidFields([{ pointer: '/email', code, detail }], code, { cause })
}

function isUnknownIntent({ code, statusCode, param }: StripeError): boolean {
  return code === 'resource_missing' && statusCode === 404 && param === 'intent'
}

function isRejectedEmail({ code, param }: StripeError): boolean {
  return code === 'email_invalid' || (code === 'parameter_invalid_string' && param === 'email')
}

/**
 * Whether retrying cannot help until the operator acts: neither the rate limit (429) nor a concurrent request (409).
 */
function needsTheOperator({ kind, statusCode }: UpstreamFailure): boolean {
  return kind === 'status' && statusCode !== undefined && statusCode < 500 && ![409, 429].includes(statusCode)
}

function kindOf(error: StripeError): UpstreamFailureKind {
  if (error.type === 'StripeConnectionError') {
    const { detail } = error
    if (detail instanceof Error && 'code' in detail && detail.code === 'ETIMEDOUT') return 'timeout'
    // A request id means that the response had begun.
    return error.requestId === undefined ? 'unreachable' : 'dropped'
  }
  return error.statusCode === undefined ? 'not-json' : 'status'
}

function retryAfterOf({ headers }: StripeError): number | undefined {
  // With the fetch transport, `headers` is a Headers object despite its type. This code reads both.
  return headers === undefined ? undefined : readRetryAfter(new Headers(headers).get('retry-after'))
}

/** Describes the error for the log by its type, codes and request id, never by the processor's message or data. */
function describe(error: StripeError): string {
  const parts = [
    error.type,
    `status ${error.statusCode ?? 'none'}`,
    error.code === undefined ? undefined : `code ${error.code}`,
    error.param === undefined ? undefined : `parameter ${error.param}`,
    error.requestId === undefined ? undefined : `request ${error.requestId}`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

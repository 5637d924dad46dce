import Stripe from 'stripe'
import { DomainError, notFound } from '../../kernel/errors.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../kernel/upstream-failure.ts'
import { readRetryAfter } from '../outbound-http/retry-after.ts'

type LibraryError = InstanceType<typeof Stripe.errors.StripeError>

/**
 * How the processor failed, where that is what an error of a call means; undefined for what it rightly answered and for a
 * fault of ours. The library's own errors hold request headers and client secrets: none of them is passed on.
 */
export function readProcessorFailure(processor: string, error: unknown): UpstreamFailure | undefined {
  if (error instanceof UpstreamFailure) return error
  if (!(error instanceof Stripe.errors.StripeError) || isUnknownId(error)) return undefined
  if (error.detail instanceof UpstreamFailure) return error.detail
  const { statusCode } = error
  const retryAfterSeconds = wishOf(error) ?? (statusCode === 429 ? 5 : undefined)
  return new UpstreamFailure(processor, kindOf(error), describe(error), { statusCode, retryAfterSeconds })
}

/**
 * What a failed call to the processor means to the one who waits for it. Unreachable, overloaded, at fault, left alone or
 * refusing our key is `service_unavailable`; an intent it does not know is `not_found`; anything else is a fault of ours and
 * stays an unexpected error.
 */
export function asProcessorFailure(error: unknown): unknown {
  if (error instanceof UpstreamFailure) {
    if (refusesOurRequest(error)) return new Error('The payment processor rejected a valid request.', { cause: error })
    return processorUnavailable(error.retryAfterSeconds ?? (error.kind === 'circuit-open' ? 5 : 2), error)
  }
  return error instanceof Stripe.errors.StripeError && isUnknownId(error) ? notFound('setup intent') : error
}

export function processorUnavailable(retryAfterSeconds: number, cause: Error): DomainError {
  return new DomainError(
    'service_unavailable',
    'The payment processor is unavailable at the moment. Retry shortly; a retry does not take effect twice.',
    { retryAfterSeconds, cause },
  )
}

function isUnknownId({ code, statusCode }: LibraryError): boolean {
  return code === 'resource_missing' && statusCode === 404
}

/** Refused for what it asks, and not for who asks (401, 403), how often (429) or while the same is under way (409). */
function refusesOurRequest({ kind, statusCode }: UpstreamFailure): boolean {
  return kind === 'status' && statusCode !== undefined && statusCode < 500 && ![401, 403, 409, 429].includes(statusCode)
}

function kindOf(error: LibraryError): UpstreamFailureKind {
  if (error instanceof Stripe.errors.StripeConnectionError) {
    const { detail } = error
    if (detail instanceof Error && 'code' in detail && detail.code === 'ETIMEDOUT') return 'timeout'
    // A request id is known once the answer has begun.
    return error.requestId === undefined ? 'unreachable' : 'dropped'
  }
  return error.statusCode === undefined ? 'not-json' : 'status'
}

function wishOf({ headers }: LibraryError): number | undefined {
  // With the fetch transport these are a Headers object, against their type; this reads both.
  return headers === undefined ? undefined : readRetryAfter(new Headers(headers).get('retry-after'))
}

/** For the log: which kind, code and request, never the processor's own message or data. */
function describe(error: LibraryError): string {
  const parts = [
    error.type,
    `status ${error.statusCode ?? 'none'}`,
    error.code === undefined ? undefined : `code ${error.code}`,
    error.param === undefined ? undefined : `parameter ${error.param}`,
    error.requestId === undefined ? undefined : `request ${error.requestId}`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

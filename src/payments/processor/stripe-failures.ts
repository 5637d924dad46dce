import type Stripe from 'stripe'
import { DomainError, invalidFields, notFound } from '../../platform/kernel/errors.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../platform/kernel/upstream-failure.ts'
import { readRetryAfter } from '../../platform/outbound/upstream.ts'

type Errors = typeof Stripe.errors

/** Any error of the Stripe library. */
export type StripeError = InstanceType<Errors['StripeError']>

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
export function readProcessorFailure(processor: string, error: unknown): UpstreamFailure | undefined {
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
export function translateProcessorError(processor: string, error: unknown): unknown {
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

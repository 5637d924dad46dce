import Stripe from 'stripe'
import { DomainError, notFound } from '../../domain/kernel/errors.ts'

/**
 * What a failed call to the processor means to the one who waits for it. Unreachable, overloaded, at fault or refusing
 * our key is `service_unavailable`; an intent it does not know is `not_found`; anything else is a fault of ours and
 * stays an unexpected error. The library's own errors hold request headers and client secrets: none of them is passed on.
 */
export function asProcessorFailure(error: unknown): unknown {
  if (error instanceof DomainError || !(error instanceof Stripe.errors.StripeError)) return error
  const cause = new Error(describe(error))
  if (error.code === 'resource_missing' && error.statusCode === 404) return notFound('setup intent')
  if (!isUnavailable(error))
    return new Error(`The payment processor refused a call it should have taken. ${cause.message}`)
  return processorUnavailable(error instanceof Stripe.errors.StripeRateLimitError ? 5 : 2, cause)
}

export function processorUnavailable(retryAfterSeconds: number, cause: Error): DomainError {
  return new DomainError(
    'service_unavailable',
    'The payment processor cannot take this call at the moment. Repeat it shortly; it will not be done twice.',
    { retryAfterSeconds, cause },
  )
}

function isUnavailable(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  const { StripeConnectionError, StripeAuthenticationError, StripePermissionError, StripeRateLimitError } =
    Stripe.errors
  if (error instanceof StripeConnectionError || error instanceof StripeAuthenticationError) return true
  if (error instanceof StripePermissionError || error instanceof StripeRateLimitError) return true
  // 409: another call with the same idempotency key is still under way. No status: an answer that was no JSON.
  return error.statusCode === undefined || error.statusCode === 409 || error.statusCode >= 500
}

/** For the log: which kind, code and request, never the processor's own message or data. */
function describe(error: InstanceType<typeof Stripe.errors.StripeError>): string {
  const parts = [
    error.type,
    `status ${error.statusCode ?? 'none'}`,
    error.code === undefined ? undefined : `code ${error.code}`,
    error.param === undefined ? undefined : `parameter ${error.param}`,
    error.requestId === undefined ? undefined : `request ${error.requestId}`,
  ]
  return `Payment processor: ${parts.filter((part) => part !== undefined).join(', ')}.`
}

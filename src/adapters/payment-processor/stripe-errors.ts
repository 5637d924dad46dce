import type Stripe from 'stripe'

type Errors = typeof Stripe.errors

/** Any error of the Stripe library. */
export type StripeError = InstanceType<Errors['StripeError']>

/**
 * Whether the Stripe library threw this. Looks for a property that all its errors have, not for their class: the library, which takes 0.1 s to load, is
 * loaded only with the first call.
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

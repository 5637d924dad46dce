import type Stripe from 'stripe'
import {
  type SetupIntent,
  type SetupIntentStatus,
  setupIntentStatuses,
} from '../../domain/payments/payment-processor.ts'

/** The processor's object in our words. Throws where it is not one of ours: without a customer or a client secret. */
export function readSetupIntentObject(object: Stripe.SetupIntent): SetupIntent {
  const { client_secret: clientSecret } = object
  const processorCustomerId = idOf(object.customer)
  if (clientSecret === null || processorCustomerId === undefined) {
    throw new Error('The payment processor answered with a setup intent without a customer or a client secret.')
  }
  const status = statusOf(object.status)
  return {
    setupIntentId: object.id,
    processorCustomerId,
    status,
    clientSecret,
    lastAttemptFailed: hasFailed(status, object.last_setup_error),
  }
}

/** A failed try leaves its error on the intent until the next one. */
export function hasFailed(status: SetupIntentStatus, lastSetupError: unknown): boolean {
  return status === 'requires_payment_method' && lastSetupError !== null && lastSetupError !== undefined
}

export function statusOf(status: unknown): SetupIntentStatus {
  const known = setupIntentStatuses.find((candidate) => candidate === status)
  if (known === undefined) throw new Error('The payment processor gave a setup intent a status that is not documented.')
  return known
}

/** The id of a field the processor sends either as an id or, expanded, as the object. */
export function idOf(reference: unknown): string | undefined {
  if (typeof reference === 'string') return reference
  if (typeof reference !== 'object' || reference === null || !('id' in reference)) return undefined
  return typeof reference.id === 'string' ? reference.id : undefined
}

import type Stripe from 'stripe'
import {
  type SetupIntent,
  type SetupIntentStatus,
  setupIntentStatuses,
} from '../../domain/payments/payment-processor.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { paymentProcessorName } from './processor-calls.ts'

/**
 * Translates the processor's object. Throws `UpstreamFailure` if it has no id, customer, client secret or documented status,
 * because the library does not check these.
 */
export function readSetupIntentObject(object: Stripe.SetupIntent): SetupIntent {
  const { client_secret: clientSecret } = object
  const processorCustomerId = idOf(object.customer)
  if (typeof clientSecret !== 'string' || processorCustomerId === undefined)
    throw wrongShape('a setup intent without a customer or a client secret')
  const status = setupIntentStatuses.find((candidate) => candidate === object.status)
  if (status === undefined) throw wrongShape('a setup intent with a status that is not documented')
  return {
    setupIntentId: requireId(object.id),
    processorCustomerId,
    status,
    clientSecret,
    lastAttemptFailed: hasAttemptFailed(status, object.last_setup_error),
  }
}

/** The error of a failed attempt stays on the intent until the next attempt. */
export function hasAttemptFailed(status: SetupIntentStatus, lastSetupError: unknown): boolean {
  return status === 'requires_payment_method' && lastSetupError !== null && lastSetupError !== undefined
}

export function parseSetupIntentStatus(status: unknown): SetupIntentStatus {
  const known = setupIntentStatuses.find((candidate) => candidate === status)
  if (known === undefined) throw new Error('The payment processor returned a setup intent with an undocumented status.')
  return known
}

/** The id of one of the processor's objects. Throws `UpstreamFailure` if it has none. */
export function requireId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  throw wrongShape('an object without an id')
}

function wrongShape(what: string): UpstreamFailure {
  return new UpstreamFailure(paymentProcessorName, 'wrong-shape', `returned ${what}`)
}

/** The id in a field that the processor sends either as an id or, if expanded, as an object. */
export function idOf(reference: unknown): string | undefined {
  if (typeof reference === 'string') return reference
  if (typeof reference !== 'object' || reference === null || !('id' in reference)) return undefined
  return typeof reference.id === 'string' ? reference.id : undefined
}

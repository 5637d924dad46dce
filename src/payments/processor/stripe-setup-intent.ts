import type Stripe from 'stripe'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type { PaymentErrorCode } from '../payment-error.ts'
import { type ReadCard, type SetupIntent, type SetupIntentStatus, setupIntentStatuses } from '../payment-processor.ts'
import { paymentProcessorName } from './processor-calls.ts'

/**
 * The processor's codes (https://docs.stripe.com/declines/codes) that have a code of ours. Every other one is
 * `card_declined`.
 */
export const knownErrors: ReadonlyMap<unknown, PaymentErrorCode> = new Map<string, PaymentErrorCode>([
  ['insufficient_funds', 'insufficient_funds'],
  ['expired_card', 'expired_card'],
  ['incorrect_cvc', 'incorrect_cvc'],
  ['invalid_cvc', 'incorrect_cvc'],
  ['setup_intent_authentication_failure', 'authentication_failed'],
  ['payment_intent_authentication_failure', 'authentication_failed'],
  ['authentication_required', 'authentication_required'],
  ['processing_error', 'processing_error'],
  ['try_again_later', 'processing_error'],
])

/** Translates `last_setup_error` or `last_payment_error`. Returns null if there is none. */
export function readPaymentError(error: unknown): PaymentErrorCode | null {
  if (typeof error !== 'object' || error === null) return null
  const codes = [Reflect.get(error, 'decline_code'), Reflect.get(error, 'code')]
  return codes.map((code) => knownErrors.get(code)).find((code) => code !== undefined) ?? 'card_declined'
}

/**
 * Translates the processor's object. Throws `UpstreamFailure` if it has no id, customer, client secret or documented
 * status, because the library does not check these.
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
    isCustomerDeleted: typeof object.customer === 'object' && object.customer !== null && 'deleted' in object.customer,
    status,
    clientSecret,
    ...attemptOf(status, object),
  }
}

/** The last attempt to attach a card. The error of a failed attempt stays on the intent until the next attempt. */
export function attemptOf(
  status: SetupIntentStatus,
  object: { last_setup_error?: unknown; latest_attempt?: unknown },
): Pick<SetupIntent, 'lastAttemptFailed' | 'error' | 'latestAttempt'> {
  const error = status === 'requires_payment_method' ? readPaymentError(object.last_setup_error) : null
  return { lastAttemptFailed: error !== null, error, latestAttempt: idOf(object.latest_attempt) ?? null }
}

/**
 * The card of a payment method. Returns null for another kind of payment method, or one that the processor did not
 * expand.
 */
export function cardOf(paymentMethod: Stripe.SetupIntent['payment_method']): ReadCard | null {
  if (typeof paymentMethod !== 'object' || paymentMethod?.card === undefined) return null
  const { id, card } = paymentMethod
  const fingerprint = card.fingerprint ? { fingerprint: card.fingerprint } : {}
  return {
    paymentMethodId: requireId(id),
    brand: card.brand,
    last4: card.last4,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
    ...fingerprint,
  }
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

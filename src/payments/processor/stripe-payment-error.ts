import type { PaymentErrorCode } from '../payment-error.ts'

/**
 * The processor's codes (https://docs.stripe.com/declines/codes) that have a code of ours. Every other one is
 * `card_declined`.
 */
const known = new Map<unknown, PaymentErrorCode>([
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
  return codes.map((code) => known.get(code)).find((code) => code !== undefined) ?? 'card_declined'
}

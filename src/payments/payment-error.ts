/**
 * Why an attempt to attach a card or to collect a payment failed, in words that are safe to show to the tenant. The
 * processor's own message is not shown, because it may reveal that a card was reported as lost or stolen.
 */
const messages = {
  card_declined: 'The card was declined. Use another card, or ask the bank why.',
  insufficient_funds: 'There was not enough money in the account. Try again later, or use another card.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_cvc: 'The security code was wrong. Enter the card again.',
  authentication_failed:
    'The bank could not confirm that the card holder made the payment. Try again, or use another card.',
  authentication_required:
    'The bank wants the card holder to confirm the payment. Set up the card again, or use another card.',
  processing_error: 'The payment could not be processed. Try again.',
} as const

export type PaymentErrorCode = keyof typeof messages

export const paymentErrorCodes: readonly PaymentErrorCode[] = [
  'card_declined',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'authentication_failed',
  'authentication_required',
  'processing_error',
]

/** The code that was stored. */
export function readPaymentErrorCode(stored: string): PaymentErrorCode {
  const code = paymentErrorCodes.find((each) => each === stored)
  if (code === undefined) throw new Error('the stored code of a failed payment is unknown')
  return code
}

export interface PaymentError {
  code: PaymentErrorCode
  message: string
}

export function paymentError(code: PaymentErrorCode): PaymentError {
  return { code, message: messages[code] }
}

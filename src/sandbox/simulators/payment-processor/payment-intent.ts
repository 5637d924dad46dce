import type { Decline } from '../../../payments/test-cards.ts'
import { newProcessorId } from './protocol/credentials.ts'

/**
 * The part of Stripe's payment intent that a collection needs. It is stored and sent in events, without a client
 * secret.
 */
export interface StoredPaymentIntent {
  id: string
  object: 'payment_intent'
  amount: number
  amount_received: number
  canceled_at: null
  capture_method: 'automatic'
  confirmation_method: 'automatic'
  created: number
  currency: string
  customer: string
  description: string | null
  last_payment_error: object | null
  /** The attempt: each has its own charge. */
  latest_charge: string
  livemode: false
  metadata: Record<string, string>
  next_action: null
  payment_method: string | null
  payment_method_types: ['card']
  status: 'succeeded' | 'requires_payment_method'
}

export interface PaymentRequest {
  amount: number
  currency: string
  customer: string
  description: string | null
  metadata: Record<string, string>
  paymentMethod: string
}

/**
 * Creates an immediate payment without the customer present. It either succeeds or is declined and needs a different
 * card.
 */
export function newPaymentIntent(
  request: PaymentRequest,
  decline: Decline | null,
  created: number,
): StoredPaymentIntent {
  const { paymentMethod, ...given } = request
  return {
    id: newProcessorId('pi'),
    object: 'payment_intent',
    ...given,
    amount_received: decline === null ? request.amount : 0,
    canceled_at: null,
    capture_method: 'automatic',
    confirmation_method: 'automatic',
    created,
    last_payment_error: decline === null ? null : paymentError(decline),
    latest_charge: newProcessorId('ch'),
    livemode: false,
    next_action: null,
    payment_method: decline === null ? paymentMethod : null,
    payment_method_types: ['card'],
    status: decline === null ? 'succeeded' : 'requires_payment_method',
  }
}

/** Why a payment was declined, in the processor's format. */
export function paymentError({ code, declineCode, message }: Decline) {
  return {
    type: 'card_error' as const,
    code,
    ...(declineCode === undefined ? {} : { decline_code: declineCode }),
    message,
    doc_url: `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`,
  }
}

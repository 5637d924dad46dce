import type Stripe from 'stripe'
import type { CollectionNotice, PaymentNotice, ReversalNotice } from '../../domain/payments/payment-processor.ts'
import { pence } from '../../kernel/money.ts'
import { readCollection, refundReportId } from './stripe-payment.ts'
import { idOf } from './stripe-setup-intent.ts'

/*
 * Translates the simulator's responses into what the notices about the same changes will say.
 */

/** No real processor lets anyone dispute a payment with a call: the simulator acts as the tenant's bank. */
export function disputePath(paymentId: string): string {
  return `/v1/payment_intents/${encodeURIComponent(paymentId)}/dispute`
}

export function readPaymentIntent(payment: Stripe.PaymentIntent): CollectionNotice {
  const outcome = payment.status === 'succeeded' ? 'paid' : 'failed'
  const event = { noticeId: payment.id, occurredAt: timeOf(payment), outcome } as const
  const collection = readCollection({ ...payment }, event)
  if (collection === undefined) throw new Error('the simulated processor returned a payment without a customer')
  return collection
}

export function readRefund(
  refund: Pick<Stripe.Refund, 'id' | 'charge' | 'amount' | 'created' | 'payment_intent'>,
): ReversalNotice {
  const { id, charge, amount } = refund
  return { ...reversalOf(refund), outcome: 'refunded', reportId: refundReportId(idOf(charge) ?? id, amount) }
}

/** Reads the response to a dispute, which the library does not type. */
export function readDispute(response: unknown): ReversalNotice {
  const dispute = response as Pick<Stripe.Dispute, 'id' | 'amount' | 'created' | 'payment_intent'>
  return { ...reversalOf(dispute), outcome: 'disputed', reportId: dispute.id }
}

/** Reads the simulator's stored response to an earlier call. A declined payment is in the error. */
export function readEarlier(answer: unknown): PaymentNotice | undefined {
  const { response } = answer as { response: { body: Record<string, unknown> } | null }
  if (response === null) return undefined
  const { error } = response.body as { error?: { payment_intent?: object } }
  const object = { ...response.body, ...error?.payment_intent }
  // The simulator's own objects, told apart by their kind.
  if (object.object === 'refund') return readRefund(object as unknown as Stripe.Refund)
  return object.object === 'dispute'
    ? readDispute(object)
    : readPaymentIntent(object as unknown as Stripe.PaymentIntent)
}

function reversalOf(object: Pick<Stripe.Dispute, 'id' | 'amount' | 'created' | 'payment_intent'>) {
  const paymentId = idOf(object.payment_intent)
  if (paymentId === undefined) throw new Error('the simulated processor returned a reversal without a payment')
  const amount = pence(object.amount)
  return { kind: 'reversal', noticeId: object.id, occurredAt: timeOf(object), paymentId, amount } as const
}

function timeOf({ created }: { created: number }): Date {
  return new Date(created * 1000)
}

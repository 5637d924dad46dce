import type Stripe from 'stripe'
import type { CollectionNotice, PaymentNotice, ReversalNotice } from '../../payments/payment-processor.ts'
import { readCollection, readDispute, readRefund } from '../../payments/processor/stripe-payment.ts'

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

/** Reads the response to a refund or to a dispute, which the library does not type. */
export function readReversal(response: unknown): ReversalNotice {
  const object = response as Pick<Stripe.Dispute | Stripe.Refund, 'id' | 'object' | 'created'>
  const event = { noticeId: object.id, occurredAt: timeOf(object) }
  const notice =
    object.object === 'refund'
      ? readRefund({ ...object }, event)
      : readDispute({ ...object }, { ...event, type: 'charge.dispute.created' })
  if (notice === undefined) throw new Error('the simulated processor returned a reversal without a payment')
  return notice
}

/** Reads the simulator's stored response to an earlier call. A declined payment is in the error. */
export function readEarlier(answer: unknown): PaymentNotice | undefined {
  const { response } = answer as { response: { body: Record<string, unknown> } | null }
  if (response === null) return undefined
  const { error } = response.body as { error?: { payment_intent?: object } }
  const object = { ...response.body, ...error?.payment_intent }
  // The simulator's own objects, told apart by their kind.
  return object.object === 'refund' || object.object === 'dispute'
    ? readReversal(object)
    : readPaymentIntent(object as unknown as Stripe.PaymentIntent)
}

function timeOf({ created }: { created: number }): Date {
  return new Date(created * 1000)
}

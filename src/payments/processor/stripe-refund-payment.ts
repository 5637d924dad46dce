import type Stripe from 'stripe'
import type { RefundAnswer, RefundToMake } from '../payment-processor.ts'
import type { GetTimeoutOptions } from './processor-calls.ts'
import { isStripeErrorOf } from './stripe-failures.ts'
import { readRefund } from './stripe-payment.ts'

/** The metadata that names the order of a refund. */
const orderKey = 'housebill_refund_order'

/** Reasons that have nothing to do with the card: our balance at the processor is too low. */
const laterCodes = new Set(['balance_insufficient', 'insufficient_funds'])

/**
 * Pays a part of a payment back to its card (https://docs.stripe.com/api/refunds/create). The order has its own
 * idempotency key, and its id in the metadata, by which it is found when the processor has forgotten the key.
 */
export async function refundPayment(
  stripe: Stripe,
  { orderId, paymentId, amount, mayBeForgotten }: RefundToMake,
  within: GetTimeoutOptions,
): Promise<RefundAnswer> {
  if (mayBeForgotten) {
    const { data } = await stripe.refunds.list({ payment_intent: paymentId, limit: 100 }, within())
    const earlier = data.find(({ metadata }) => metadata?.[orderKey] === orderId)
    if (earlier !== undefined) return answerOf(earlier)
  }
  const form = { payment_intent: paymentId, amount, metadata: { [orderKey]: orderId } }
  try {
    return answerOf(await stripe.refunds.create(form, { idempotencyKey: orderId, ...within() }))
  } catch (error) {
    const refused = isStripeErrorOf(error, 'StripeInvalidRequestError') || isStripeErrorOf(error, 'StripeCardError')
    if (!refused) throw error
    const reason = [error.code, error.param].filter(Boolean).join(' ') || 'invalid request'
    return { kind: laterCodes.has(error.code ?? '') ? 'later' : 'refused', reason }
  }
}

/** A refund that failed at once was not paid. */
function answerOf(refund: Stripe.Refund): RefundAnswer {
  const notice = readRefund({ ...refund }, { noticeId: refund.id, occurredAt: new Date(refund.created * 1_000) })
  if (notice === undefined) throw new Error('the payment processor returned a refund without a payment')
  return notice.outcome === 'refunded'
    ? { kind: 'accepted', notice }
    : { kind: 'refused', reason: refund.failure_reason ?? 'the refund failed' }
}

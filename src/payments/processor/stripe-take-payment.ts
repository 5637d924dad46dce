import type Stripe from 'stripe'
import { UpstreamFailure } from '../../platform/kernel/upstream-failure.ts'
import type {
  CollectionPage,
  CollectionQuery,
  PaymentNotice,
  PaymentResult,
  PaymentToTake,
} from '../payment-processor.ts'
import { type GetTimeoutOptions, isStripeErrorOf, paymentProcessorName } from './processor-calls.ts'
import { hasSenselessTime, readStripeEvent } from './stripe-notice.ts'
import { entryIdKey, paymentEventTypes, readCollection } from './stripe-payment.ts'
import { idOf } from './stripe-setup-intent.ts'

/** The metadata that tells the attempts at one entry apart. */
const attemptKey = 'housebill_attempt'

/**
 * Takes a payment from the card that a setup intent attached, without the customer present
 * (https://docs.stripe.com/payments/save-and-reuse). The attempt has its own idempotency key, and its entry and number
 * in the metadata, by which it is found when the processor has forgotten the key.
 */
export async function takePayment(
  stripe: Stripe,
  payment: PaymentToTake,
  within: GetTimeoutOptions,
): Promise<PaymentResult> {
  const { processorCustomerId: payer, paymentMethodId: card } =
    payment.card ?? (await readCardToCharge(stripe, payment, within))
  if (payer === undefined || card === undefined) return { kind: 'card missing' }
  const earlier = payment.mayBeForgotten ? await findAttempt(stripe, payer, payment, within) : undefined
  if (earlier !== undefined) return resultOf(earlier)
  const form = {
    amount: payment.amount,
    currency: 'gbp',
    customer: payer,
    payment_method: card,
    confirm: true,
    off_session: true,
    description: payment.description,
    metadata: {
      housebill_customer_id: payment.customerId,
      housebill_quote_id: payment.quoteId,
      housebill_partner_id: payment.partnerId,
      [entryIdKey]: payment.entryId,
      [attemptKey]: String(payment.attemptNumber),
    },
  }
  const idempotencyKey = `collect:${payment.entryId}:${payment.attemptNumber}`
  try {
    const created = await stripe.paymentIntents.create(form, { idempotencyKey, ...within() })
    const replayed = new Headers(created.lastResponse.headers).get('idempotent-replayed') === 'true'
    return resultOf(replayed ? await stripe.paymentIntents.retrieve(created.id, {}, within()) : created)
  } catch (error) {
    if (isStripeErrorOf(error, 'StripeCardError') && error.payment_intent !== undefined)
      return resultOf(error.payment_intent)
    // The card or the amount differ from those of the first request with this key, which may have taken effect.
    const first = isStripeErrorOf(error, 'StripeIdempotencyError')
      ? await findAttempt(stripe, payer, payment, within)
      : undefined
    if (first !== undefined) return resultOf(first)
    if (isStripeErrorOf(error, 'StripeInvalidRequestError') && isCardMissing(error)) return { kind: 'card missing' }
    if (isStripeErrorOf(error, 'StripeInvalidRequestError'))
      return { kind: 'rejected', reason: [error.code, error.param].filter(Boolean).join(' ') || 'invalid request' }
    throw error
  }
}

async function readCardToCharge(
  stripe: Stripe,
  { setupIntentId }: PaymentToTake,
  within: GetTimeoutOptions,
): Promise<{ processorCustomerId?: string | undefined; paymentMethodId?: string | undefined }> {
  const { customer, payment_method } = await stripe.setupIntents.retrieve(setupIntentId, {}, within())
  return { processorCustomerId: idOf(customer), paymentMethodId: idOf(payment_method) }
}

/** Whether the processor no longer has the customer or the card. */
function isCardMissing({ code, param }: { code?: string; param?: string }): boolean {
  return code === 'resource_missing' && (param === 'customer' || param === 'payment_method')
}

/** The processor's payment of this attempt, among the customer's latest hundred. */
async function findAttempt(
  stripe: Stripe,
  customer: string,
  { entryId, attemptNumber }: PaymentToTake,
  within: GetTimeoutOptions,
): Promise<Stripe.PaymentIntent | undefined> {
  const { data } = await stripe.paymentIntents.list({ customer, limit: 100 }, within())
  return data.find(({ metadata }) => metadata[entryIdKey] === entryId && metadata[attemptKey] === String(attemptNumber))
}

function resultOf(intent: Stripe.PaymentIntent): PaymentResult {
  const { id, status, created } = intent
  const outcome =
    status === 'succeeded'
      ? 'paid'
      : status === 'requires_payment_method' || status === 'canceled'
        ? 'failed'
        : undefined
  if (outcome === undefined) return { kind: 'pending', paymentId: id }
  const notice = readCollection({ ...intent }, { noticeId: id, occurredAt: new Date(created * 1_000), outcome })
  if (notice === undefined) throw new Error('the payment processor returned a payment without a customer')
  return { kind: 'final', notice }
}

/** The largest page size that the processor allows. */
const pageLength = 100

/**
 * A page of the processor's event list (https://docs.stripe.com/api/events/list), which goes back 30 days, newest
 * first. Throws
 * `UpstreamFailure` for a page with an unreadable event, because an event that is skipped would be lost.
 */
export async function listCollections(
  stripe: Stripe,
  { since, until, olderThan }: CollectionQuery,
  within: GetTimeoutOptions,
): Promise<CollectionPage> {
  const page = await stripe.events.list(
    {
      types: paymentEventTypes,
      limit: pageLength,
      ...(since === null && until === undefined ? {} : { created: rangeOf(since, until) }),
      ...(olderThan === undefined ? {} : { starting_after: olderThan }),
    },
    within(),
  )
  if (!Array.isArray(page.data)) throw unreadable('is not an array')
  const notices = page.data.flatMap((event): PaymentNotice[] => {
    const notice = readStripeEvent(event)
    if (notice === undefined || !Number.isFinite(event.created))
      throw unreadable('contains an item that is not an event')
    return notice.kind === 'collection' || notice.kind === 'reversal' ? [notice] : []
  })
  const newest = page.data.find((event) => !hasSenselessTime(event))
  return {
    notices,
    newestAt: newest === undefined ? undefined : new Date(newest.created * 1000),
    olderThan: page.has_more ? page.data.at(-1)?.id : undefined,
  }
}

function rangeOf(since: Date | null, until: Date | undefined): { gte?: number; lt?: number } {
  return {
    ...(since === null ? {} : { gte: Math.floor(since.getTime() / 1000) }),
    ...(until === undefined ? {} : { lt: Math.floor(until.getTime() / 1000) }),
  }
}

function unreadable(what: string): UpstreamFailure {
  return new UpstreamFailure(paymentProcessorName, 'wrong-shape', `returned a list of events that ${what}`)
}

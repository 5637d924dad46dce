import { type Pence, pence } from '../../platform/kernel/money.ts'
import type { CollectionNotice, PaymentNotice, ReversalNotice } from '../payment-processor.ts'
import { idOf, readPaymentError } from './stripe-setup-intent.ts'

/** A payment intent, a charge or a dispute, as an event or a response contains it. */
type StripeObject = Readonly<Record<string, unknown>>

/** The metadata of a payment in which the operator can name the entry of the ledger that it collects. */
export const entryIdKey = 'housebill_entry_id'

/** What an event says about itself. */
interface EventFields {
  noticeId: string
  occurredAt: Date
}

const collectionOutcomes = new Map<string, 'paid' | 'failed'>([
  ['payment_intent.succeeded', 'paid'],
  ['payment_intent.payment_failed', 'failed'],
  ['payment_intent.failed', 'failed'],
])

/** Events whose object is a refund. */
const refundTypes = ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']
/** Events whose object is a dispute. */
const disputeTypes = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
]

/** The types of events that report payments. */
export const paymentEventTypes = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  ...refundTypes,
  ...disputeTypes,
]

export function isPaymentEvent(type: string): boolean {
  return collectionOutcomes.has(type) || paymentEventTypes.includes(type)
}

/**
 * Translates the object of a payment event. Returns undefined if it has no customer or payment, so that it is not ours,
 * or moves no money.
 */
export function readPaymentEvent(type: string, object: StripeObject, event: EventFields): PaymentNotice | undefined {
  const outcome = collectionOutcomes.get(type)
  if (outcome !== undefined) return readCollection(object, { ...event, outcome })
  if (refundTypes.includes(type)) return readRefund(object, event)
  if (disputeTypes.includes(type)) return readDispute(object, { ...event, type })
  const paymentId = idOf(object.payment_intent)
  const id = idOf(object)
  if (paymentId === undefined || id === undefined) return undefined
  const amount = amountOf(object, 'amount_refunded')
  // A total can come again after a refund has failed, so its time belongs to it.
  const reportId = `${id}:${amount ?? 'unknown'}:${event.occurredAt.getTime() / 1_000}`
  return { ...event, kind: 'reversal', outcome: 'refunded', subjectId: null, paymentId, reportId, amount }
}

/**
 * Translates a refund (https://docs.stripe.com/api/refunds/object). It counts from its creation, also while the bank
 * has not confirmed it.
 */
export function readRefund(object: StripeObject, event: EventFields): ReversalNotice | undefined {
  const paymentId = idOf(object.payment_intent)
  const subjectId = idOf(object)
  if (paymentId === undefined || subjectId === undefined) return undefined
  const about = { ...event, kind: 'reversal', subjectId, paymentId, amount: amountOf(object, 'amount') } as const
  return object.status === 'failed' || object.status === 'canceled'
    ? { ...about, outcome: 'refund_failed', reportId: `${subjectId}:failed` }
    : { ...about, outcome: 'refunded', reportId: subjectId }
}

/**
 * What a dispute says by its status (https://docs.stripe.com/api/disputes/object), whatever the event: a decision can
 * be appealed against, and funds are also reinstated for a partly refunded payment of a lost dispute.
 */
const disputeOutcomes = new Map<unknown, DisputeOutcome>([
  [undefined, 'disputed'],
  ['needs_response', 'disputed'],
  ['under_review', 'disputed'],
  ['won', 'dispute_won'],
  ['lost', 'dispute_lost'],
])
/** An inquiry moves nothing, unless an event says that it did. */
const inquiries: readonly unknown[] = ['warning_needs_response', 'warning_under_review', 'warning_closed']
const inquiryOutcomes = new Map<string, DisputeOutcome>([
  ['charge.dispute.funds_withdrawn', 'disputed'],
  ['charge.dispute.funds_reinstated', 'dispute_won'],
])
type DisputeOutcome = 'disputed' | 'dispute_won' | 'dispute_lost'

export function readDispute(object: StripeObject, event: EventFields & { type: string }): ReversalNotice | undefined {
  const { type, ...fields } = event
  const { status } = object
  const paymentId = idOf(object.payment_intent)
  const subjectId = idOf(object)
  const known = inquiries.includes(status)
    ? inquiryOutcomes.get(type)
    : status === 'prevented'
      ? preventedOutcome(object, type)
      : disputeOutcomes.get(status)
  const isUnknown = known === undefined && !inquiries.includes(status)
  // Until somebody has looked, a status that nobody knows counts as a dispute that is not decided.
  const outcome = isUnknown ? 'disputed' : known
  if (paymentId === undefined || subjectId === undefined || outcome === undefined) return undefined
  // A dispute can be decided several times, so the time belongs to what is reported; it is opened once.
  const isOpened = type === 'charge.dispute.created' && outcome === 'disputed'
  const reportId = isOpened ? subjectId : `${subjectId}:${outcome}:${fields.occurredAt.getTime() / 1_000}`
  const about = { subjectId, paymentId, reportId, amount: amountOf(object, 'amount') }
  return {
    ...fields,
    kind: 'reversal',
    outcome,
    ...about,
    ...(isUnknown ? { unknownStatus: readableStatus(status) } : {}),
  }
}

/** A dispute that was prevented is lost if money was withdrawn for it and not reinstated. */
function preventedOutcome({ balance_transactions: transactions }: StripeObject, type: string): DisputeOutcome {
  if (!Array.isArray(transactions) || type === 'charge.dispute.funds_withdrawn') return 'dispute_lost'
  const amounts = transactions.map((each: unknown) => Number(Object(each).amount))
  return amounts.reduce((sum, amount) => sum + amount, 0) < 0 ? 'dispute_lost' : 'dispute_won'
}

function readableStatus(status: unknown): string {
  return typeof status === 'string' && /^[a-z_]{1,50}$/.test(status) ? status : 'unreadable'
}

/**
 * Translates a payment intent after an attempt. Each attempt has its own charge; one without a charge is identified by
 * its time.
 */
export function readCollection(
  object: StripeObject,
  { noticeId, occurredAt, outcome }: EventFields & { outcome: 'paid' | 'failed' },
): CollectionNotice | undefined {
  const processorCustomerId = idOf(object.customer)
  const paymentId = idOf(object)
  if (processorCustomerId === undefined || paymentId === undefined) return undefined
  const { metadata } = object
  const named = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, entryIdKey) : undefined
  return {
    kind: 'collection',
    noticeId,
    occurredAt,
    processorCustomerId,
    outcome,
    paymentId,
    reportId: idOf(object.latest_charge) ?? `${paymentId}:${outcome}:${occurredAt.getTime() / 1000}`,
    amount: amountOf(object, outcome === 'paid' ? 'amount_received' : 'amount'),
    error: outcome === 'failed' ? (readPaymentError(object.last_payment_error) ?? 'card_declined') : null,
    entryId: typeof named === 'string' ? named : null,
  }
}

function amountOf(object: StripeObject, name: string): Pence | null {
  const amount = object[name]
  return object.currency === 'gbp' && Number.isSafeInteger(amount) ? pence(Number(amount)) : null
}

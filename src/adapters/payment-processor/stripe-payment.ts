import type { CollectionNotice, PaymentNotice } from '../../domain/payments/payment-processor.ts'
import { type Pence, pence } from '../../kernel/money.ts'
import { readPaymentError } from './stripe-payment-error.ts'
import { idOf } from './stripe-setup-intent.ts'

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

/** The types of events that report payments. */
export const paymentEventTypes = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  'charge.dispute.created',
]

export function isPaymentEvent(type: string): boolean {
  return collectionOutcomes.has(type) || paymentEventTypes.includes(type)
}

/** Translates the object of a payment event. Returns undefined if it has no customer or payment, so that it is not ours. */
export function readPaymentEvent(type: string, object: StripeObject, event: EventFields): PaymentNotice | undefined {
  const outcome = collectionOutcomes.get(type)
  if (outcome !== undefined) return readCollection(object, { ...event, outcome })
  const paymentId = idOf(object.payment_intent)
  const id = idOf(object)
  if (paymentId === undefined || id === undefined) return undefined
  if (type === 'charge.dispute.created')
    return {
      ...event,
      kind: 'reversal',
      outcome: 'disputed',
      paymentId,
      reportId: id,
      amount: amountOf(object, 'amount'),
    }
  const amount = amountOf(object, 'amount_refunded')
  return { ...event, kind: 'reversal', outcome: 'refunded', paymentId, reportId: refundReportId(id, amount), amount }
}

/** Identifies a refund by its charge and by how much of it has been refunded in total, which is what a notice says. */
export function refundReportId(chargeId: string, refundedInTotal: number | null): string {
  return `${chargeId}:${refundedInTotal ?? 'unknown'}`
}

/** Translates a payment intent after an attempt. Each attempt has its own charge; one without a charge is identified by its time. */
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

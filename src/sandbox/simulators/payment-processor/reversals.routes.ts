import type { FastifyInstance } from 'fastify'
import { findCardByLast4, findCardByName } from '../../../payments/test-cards.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { findPaymentMethod } from './customers.store.ts'
import {
  findReversal,
  listRefunds,
  lockPayment,
  type SimulatedPayment,
  type StoredDispute,
  type StoredRefund,
  saveReversal,
  updatePayment,
} from './payment-intents.store.ts'
import { newProcessorId } from './protocol/credentials.ts'
import { metadataOf, nestedFields, optionalText, requiredText } from './protocol/parameters.ts'
import { postHandler, type SimulatorParts, type SimulatorResponse } from './protocol/post-call.ts'
import { invalidRequest, noSuchObject, secretKeyRequired } from './protocol/stripe-fault.ts'

/**
 * What happens to a payment after it succeeded: the operator refunds it, or the tenant's bank disputes it, and what
 * becomes of either.
 */
export function registerReversalRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  const requireSecretKey = (authorization: string | undefined) => {
    if (parts.credentials.authenticate(authorization) !== 'secret') throw secretKeyRequired()
  }

  app.post(
    '/v1/refunds',
    postHandler(parts, {
      parameters: ['amount', 'metadata', 'payment_intent', 'reason'],
      publishable: false,
      work: async (tx, { fields, now }) => {
        const paid = await lockPaid(tx, requiredText(fields, 'payment_intent'))
        const amount = refundAmount(optionalText(fields, 'amount'), paid)
        const { id: payment_intent, currency, latest_charge: charge } = paid.intent
        const created = Math.floor(now.getTime() / 1000)
        const about = { id: newProcessorId('re'), object: 'refund', amount, charge, created, currency } as const
        const reason = optionalText(fields, 'reason') ?? null
        const refund: StoredRefund = {
          ...{ ...about, metadata: metadataOf(fields), payment_intent, reason },
          status: 'succeeded',
        }
        const refunded = { ...paid, refunded: paid.refunded + amount }
        await updatePayment(tx, refunded)
        await saveReversal(tx, refund)
        const partnerId = partnerOf(paid)
        const changes = [
          { event: 'refund.created', object: refund, partnerId },
          { event: 'charge.refunded', object: chargeOf(refunded), partnerId },
        ]
        // Like the processor's own test card: the refund succeeds at first.
        if (!(await failsLater(tx, paid))) return { status: 200, body: refund, changes }
        const failed = await failRefund(tx, refund)
        return { status: 200, body: refund, changes: [...changes, ...failed.changes] }
      },
    }),
  )

  app.get<{ Querystring: { payment_intent?: unknown; limit?: unknown } }>('/v1/refunds', async (request) => {
    requireSecretKey(request.headers.authorization)
    const { payment_intent: payment, limit = '10' } = request.query
    if (typeof payment !== 'string')
      throw invalidRequest('The payment simulator only lists the refunds of one payment.', { param: 'payment_intent' })
    const count = typeof limit === 'string' && /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN
    if (!(count >= 1 && count <= 100)) throw invalidRequest('Invalid limit: must be from 1 to 100.', { param: 'limit' })
    const data = await listRefunds(parts.db, payment, count)
    return { object: 'list', url: '/v1/refunds', has_more: false, data }
  })

  app.get<{ Params: { id: string } }>('/v1/refunds/:id', async (request) => {
    requireSecretKey(request.headers.authorization)
    const { id } = request.params
    const refund = await findReversal(parts.db, 'refund', id)
    if (refund === undefined) throw noSuchObject('refund', id, 'id', 404)
    return refund
  })

  // Only in the simulator: at the real processor, a refund fails when the bank returns the money.
  app.post(
    '/v1/refunds/:id/fail',
    postHandler(parts, {
      parameters: [],
      publishable: false,
      work: async (tx, { id }) => {
        const refund = await findReversal(tx, 'refund', id)
        if (refund === undefined) throw noSuchObject('refund', id, 'id', 404)
        if (refund.status === 'failed') throw invalidRequest('This refund has failed already.')
        return failRefund(tx, refund)
      },
    }),
  )

  // Only in the simulator: a real dispute begins at the tenant's bank.
  app.post(
    '/v1/payment_intents/:id/dispute',
    postHandler(parts, {
      parameters: ['amount', 'inquiry'],
      publishable: false,
      work: async (tx, { id, fields, now }) => {
        const paid = await lockPaid(tx, id)
        if (paid.disputed) throw invalidRequest('This payment has already been disputed.')
        const { currency, amount_received: whole, latest_charge: charge } = paid.intent
        const isInquiry = optionalText(fields, 'inquiry') === 'true'
        const dispute: StoredDispute = {
          id: newProcessorId('dp'),
          object: 'dispute',
          amount: disputedAmount(optionalText(fields, 'amount'), whole),
          charge,
          created: Math.floor(now.getTime() / 1000),
          currency,
          is_charge_refundable: isInquiry,
          livemode: false,
          metadata: {},
          payment_intent: id,
          reason: 'general',
          status: isInquiry ? 'warning_needs_response' : 'needs_response',
        }
        return changedDispute(tx, paid, dispute, [
          'charge.dispute.created',
          ...(isInquiry ? [] : ['charge.dispute.funds_withdrawn']),
        ])
      },
    }),
  )

  app.get<{ Params: { id: string } }>('/v1/disputes/:id', async (request) => {
    requireSecretKey(request.headers.authorization)
    const { id } = request.params
    const dispute = await findReversal(parts.db, 'dispute', id)
    if (dispute === undefined) throw noSuchObject('dispute', id, 'id', 404)
    return dispute
  })

  // Evidence decides a dispute as in the processor's own test mode.
  app.post(
    '/v1/disputes/:id',
    postHandler(parts, {
      parameters: ['evidence', 'metadata', 'submit'],
      publishable: false,
      work: async (tx, { id, fields }) => {
        const [dispute, paid] = await lockDispute(tx, id)
        const isInquiry = dispute.status === 'warning_needs_response'
        const evidence = optionalText(nestedFields(fields, 'evidence'), 'uncategorized_text')
        if (evidence === 'winning_evidence') {
          const status = isInquiry ? 'warning_closed' : 'won'
          const events = isInquiry ? [] : ['charge.dispute.funds_reinstated']
          return changedDispute(tx, paid, { ...dispute, status }, [...events, 'charge.dispute.closed'])
        }
        if (evidence === 'escalate_inquiry_evidence' && isInquiry) {
          const escalated = { ...dispute, status: 'needs_response', is_charge_refundable: false } as const
          return changedDispute(tx, paid, escalated, ['charge.dispute.updated', 'charge.dispute.funds_withdrawn'])
        }
        if (evidence === 'losing_evidence' && !isInquiry)
          return changedDispute(tx, paid, { ...dispute, status: 'lost' }, ['charge.dispute.closed'])
        throw invalidRequest(
          'The payment simulator knows the evidence winning_evidence, losing_evidence and, for an inquiry, escalate_inquiry_evidence.',
          { param: 'evidence[uncategorized_text]' },
        )
      },
    }),
  )

  app.post(
    '/v1/disputes/:id/close',
    postHandler(parts, {
      parameters: [],
      publishable: false,
      work: async (tx, { id }) => {
        const [dispute, paid] = await lockDispute(tx, id)
        const status = dispute.status === 'warning_needs_response' ? 'warning_closed' : 'lost'
        return changedDispute(tx, paid, { ...dispute, status }, ['charge.dispute.closed'])
      },
    }),
  )
}

/** Locks a payment that succeeded. Throws the processor's error for any other id. */
async function lockPaid(tx: Tx, id: string): Promise<SimulatedPayment> {
  const payment = await lockPayment(tx, id)
  if (payment === undefined) throw noSuchObject('payment_intent', id, 'payment_intent', 400)
  if (payment.intent.status === 'succeeded') return payment
  throw invalidRequest('This PaymentIntent does not have a successful charge to refund.', { param: 'payment_intent' })
}

/** Locks a dispute that is not decided, with its payment. */
async function lockDispute(tx: Tx, id: string): Promise<[StoredDispute, SimulatedPayment]> {
  const found = await findReversal(tx, 'dispute', id)
  if (found === undefined) throw noSuchObject('dispute', id, 'id', 404)
  const paid = await lockPaid(tx, found.payment_intent)
  const dispute = await findReversal(tx, 'dispute', id)
  if (dispute?.status === 'needs_response' || dispute?.status === 'warning_needs_response') return [dispute, paid]
  throw invalidRequest('This dispute is already closed.')
}

async function changedDispute(
  tx: Tx,
  paid: SimulatedPayment,
  dispute: StoredDispute,
  events: readonly string[],
): Promise<SimulatorResponse> {
  await saveReversal(tx, dispute)
  await updatePayment(tx, { ...paid, disputed: dispute.status === 'needs_response' || dispute.status === 'lost' })
  const changes = events.map((event) => ({ event, object: dispute, partnerId: partnerOf(paid) }))
  return { status: 200, body: dispute, changes }
}

/** The money comes back to the operator, and the charge counts as refunded by so much less. */
async function failRefund(tx: Tx, refund: StoredRefund): Promise<SimulatorResponse> {
  const paid = await lockPaid(tx, refund.payment_intent)
  await updatePayment(tx, { ...paid, refunded: paid.refunded - refund.amount })
  const failed: StoredRefund = { ...refund, status: 'failed', failure_reason: 'expired_or_canceled_card' }
  await saveReversal(tx, failed)
  const partnerId = partnerOf(paid)
  const changes = ['refund.failed', 'refund.updated'].map((event) => ({ event, object: failed, partnerId }))
  return { status: 200, body: failed, changes }
}

/** Whether the payment was taken from the test card whose refunds fail. */
async function failsLater(tx: Tx, { intent: { payment_method: id } }: SimulatedPayment): Promise<boolean> {
  if (id === null) return false
  const card = findCardByName(id) ?? findCardByLast4((await findPaymentMethod(tx, id))?.card?.last4)
  return card?.refundsFail === true
}

function partnerOf({ intent }: SimulatedPayment): string | undefined {
  return intent.metadata.housebill_partner_id
}

function refundAmount(given: string | undefined, { intent, refunded, disputed }: SimulatedPayment): number {
  if (disputed)
    throw invalidRequest(`Charge ${intent.latest_charge} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    })
  const left = intent.amount_received - refunded
  if (left === 0)
    throw invalidRequest(`Charge ${intent.latest_charge} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  if (given === undefined) return left
  const amount = wholePence(given)
  if (amount <= left) return amount
  throw invalidRequest('Refund amount is greater than the unrefunded amount on the charge.', { param: 'amount' })
}

function disputedAmount(given: string | undefined, whole: number): number {
  if (given === undefined) return whole
  const amount = wholePence(given)
  if (amount <= whole) return amount
  throw invalidRequest('The bank cannot dispute more than the charge.', { param: 'amount' })
}

function wholePence(given: string): number {
  return /^[1-9]\d{0,7}$/.test(given) ? Number(given) : Number.NaN
}

/** The charge of a payment, in Stripe's format. */
function chargeOf({ intent, refunded }: SimulatedPayment) {
  return {
    id: intent.latest_charge,
    object: 'charge' as const,
    amount: intent.amount_received,
    amount_refunded: refunded,
    created: intent.created,
    currency: intent.currency,
    customer: intent.customer,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    payment_method: intent.payment_method,
    refunded: refunded === intent.amount_received,
    status: 'succeeded' as const,
  }
}

import type { FastifyInstance } from 'fastify'
import type { Tx } from '../../src/db/database.ts'
import { lockPayment, type SimulatedPayment, updatePayment } from './payment-intents.store.ts'
import { metadataOf, optionalText, requiredText } from './protocol/parameters.ts'
import { postHandler, type SimulatorParts } from './protocol/post-call.ts'
import { newProcessorId } from './protocol/processor-ids.ts'
import { invalidRequest, noSuchObject } from './protocol/stripe-fault.ts'

/** What happens to a payment after it succeeded: the operator refunds it, or the tenant's bank disputes it. */
export function registerReversalRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.post(
    '/v1/refunds',
    postHandler(parts, {
      parameters: ['amount', 'metadata', 'payment_intent', 'reason'],
      publishable: false,
      work: async (tx, { fields, now }) => {
        const paid = await lockPaid(tx, requiredText(fields, 'payment_intent'))
        const amount = refundAmount(optionalText(fields, 'amount'), paid)
        const changed = { ...paid, refunded: paid.refunded + amount }
        await updatePayment(tx, changed)
        const created = Math.floor(now.getTime() / 1000)
        const { id: payment_intent, currency, latest_charge: charge } = paid.intent
        const body = {
          id: newProcessorId('re'),
          object: 'refund',
          amount,
          charge,
          created,
          currency,
          metadata: metadataOf(fields),
          payment_intent,
          status: 'succeeded',
        }
        return { status: 200, body, changes: [{ event: 'charge.refunded', object: chargeOf(changed) }] }
      },
    }),
  )

  // Only in the simulator: a real dispute begins at the tenant's bank.
  app.post(
    '/v1/payment_intents/:id/dispute',
    postHandler(parts, {
      parameters: [],
      publishable: false,
      work: async (tx, { id, now }) => {
        const paid = await lockPaid(tx, id)
        if (paid.disputed) throw invalidRequest('This payment has already been disputed.')
        await updatePayment(tx, { ...paid, disputed: true })
        const { currency, amount_received: amount, latest_charge: charge, metadata } = paid.intent
        const created = Math.floor(now.getTime() / 1000)
        const dispute = {
          id: newProcessorId('dp'),
          object: 'dispute',
          amount,
          charge,
          created,
          currency,
          livemode: false,
          metadata: {},
          payment_intent: id,
          reason: 'general',
          status: 'needs_response',
        }
        const partnerId = metadata.housebill_partner_id
        return {
          status: 200,
          body: dispute,
          changes: [{ event: 'charge.dispute.created', object: dispute, partnerId }],
        }
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

function refundAmount(given: string | undefined, { intent, refunded }: SimulatedPayment): number {
  const left = intent.amount_received - refunded
  if (left === 0)
    throw invalidRequest(`Charge ${intent.latest_charge} has already been refunded.`, {
      code: 'charge_already_refunded',
    })
  if (given === undefined) return left
  const amount = /^[1-9]\d{0,7}$/.test(given) ? Number(given) : Number.NaN
  if (amount <= left) return amount
  throw invalidRequest('Refund amount is greater than the unrefunded amount on the charge.', { param: 'amount' })
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

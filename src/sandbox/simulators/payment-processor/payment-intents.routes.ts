import type { FastifyInstance } from 'fastify'
import { type Decline, findCardByName, getLaterDecline } from '../../../payments/test-cards.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { findPaymentMethod, lockCustomer } from './customers.store.ts'
import { newPaymentIntent, type PaymentRequest, paymentError } from './payment-intent.ts'
import {
  findLastPaymentTime,
  findPaymentIntent,
  insertPaymentIntent,
  listPaymentIntents,
} from './payment-intents.store.ts'
import { type FormFields, metadataOf, optionalText, readListQuery, requiredText } from './protocol/parameters.ts'
import { postHandler, type SimulatorParts } from './protocol/post-call.ts'
import { invalidRequest, noSuchObject, secretKeyRequired } from './protocol/stripe-fault.ts'

/** Payments that the operator takes immediately from an attached card, without the customer present. */
export function registerPaymentIntentRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.get<{ Querystring: { customer?: unknown; limit?: unknown } }>('/v1/payment_intents', async (request) => {
    if (parts.credentials.authenticate(request.headers.authorization) !== 'secret') throw secretKeyRequired()
    const { customer, limit } = readListQuery(request.query, 'payment intents')
    const data = await listPaymentIntents(parts.db, customer, limit)
    return { object: 'list', url: '/v1/payment_intents', has_more: false, data }
  })

  app.get<{ Params: { id: string } }>('/v1/payment_intents/:id', async (request) => {
    if (parts.credentials.authenticate(request.headers.authorization) !== 'secret') throw secretKeyRequired()
    const { id } = request.params
    const intent = await findPaymentIntent(parts.db, id)
    if (intent === undefined) throw noSuchObject('payment_intent', id, 'intent', 404)
    return intent
  })

  app.post(
    '/v1/payment_intents',
    postHandler(parts, {
      parameters: [
        'amount',
        'confirm',
        'currency',
        'customer',
        'description',
        'metadata',
        'off_session',
        'payment_method',
        'payment_method_types',
      ],
      publishable: false,
      work: async (tx, { fields, now }) => {
        const request = readRequest(fields)
        if ((await lockCustomer(tx, parts.seal, request.customer)) === undefined)
          throw noSuchObject('customer', request.customer, 'customer', 400)
        const decline = await declineOf(tx, request)
        // A customer's payments are at least one second apart, because events in the same second could not be ordered.
        const earliest = ((await findLastPaymentTime(tx, request.customer)) ?? 0) + 1
        const created = Math.max(Math.floor(now.getTime() / 1000), earliest)
        const intent = newPaymentIntent(request, decline, created)
        await insertPaymentIntent(tx, intent)
        const at = new Date(created * 1000)
        if (decline === null)
          return { status: 200, body: intent, changes: [{ event: 'payment_intent.succeeded', object: intent, at }] }
        return {
          status: 402,
          body: { error: { ...paymentError(decline), payment_intent: intent } },
          changes: [{ event: 'payment_intent.payment_failed', object: intent, at }],
        }
      },
    }),
  )
}

function readRequest(fields: FormFields): PaymentRequest {
  for (const param of ['confirm', 'off_session']) {
    if (optionalText(fields, param) !== 'true')
      throw invalidRequest(
        `The payment simulator only takes payments immediately and without the customer: set ${param}=true.`,
        {
          param,
        },
      )
  }
  const amount = requiredText(fields, 'amount')
  if (!/^[1-9]\d{0,7}$/.test(amount)) throw invalidRequest('Invalid integer: amount.', { param: 'amount' })
  const currency = requiredText(fields, 'currency').toLowerCase()
  if (!['gbp', 'eur', 'usd'].includes(currency))
    throw invalidRequest(`Invalid currency: the simulator only accepts gbp, eur and usd.`, { param: 'currency' })
  return {
    amount: Number(amount),
    currency,
    customer: requiredText(fields, 'customer'),
    description: optionalText(fields, 'description') ?? null,
    metadata: metadataOf(fields),
    paymentMethod: requiredText(fields, 'payment_method'),
  }
}

/**
 * Why the payment is declined, or null. The payment method is a test card's name or the id of one of this customer's
 * cards.
 */
async function declineOf(tx: Tx, { customer, paymentMethod }: PaymentRequest): Promise<Decline | null> {
  const named = findCardByName(paymentMethod)
  if (named !== undefined) return getLaterDecline(named.outcome)
  const attached = await findPaymentMethod(tx, paymentMethod)
  if (attached === undefined) throw noSuchObject('PaymentMethod', paymentMethod, 'payment_method', 400)
  if (attached.customer === customer) return attached.laterDecline
  throw invalidRequest('The provided PaymentMethod does not belong to this customer.', { param: 'payment_method' })
}

import type Stripe from 'stripe'
import type { Upstream } from '../../platform/outbound/upstream.ts'
import type { PaymentProcessor, RefundResult, RefundToMake, SetupIntent } from '../payment-processor.ts'
import {
  createProcessorCalls,
  type GetTimeoutOptions,
  isStripeError,
  isStripeErrorOf,
  processorUnavailable,
} from './processor-calls.ts'
import { readStripeNotice } from './stripe-notice.ts'
import { readRefund } from './stripe-payment.ts'
import { cardOf, idOf, readSetupIntentObject, requireId } from './stripe-setup-intent.ts'
import { listCollections, takePayment } from './stripe-take-payment.ts'

/** The metadata that names the order of a refund. */
const orderKey = 'housebill_refund_order'

/** Reasons that have nothing to do with the card: our balance at the processor is too low. */
const laterCodes = new Set(['balance_insufficient', 'insufficient_funds'])

/**
 * Pays a part of a payment back to its card (https://docs.stripe.com/api/refunds/create). The order has its own
 * idempotency key, and its id in the metadata, by which it is found when the processor has forgotten the key.
 */
async function refundPayment(
  stripe: Stripe,
  { orderId, paymentId, amount, mayBeForgotten }: RefundToMake,
  within: GetTimeoutOptions,
): Promise<RefundResult> {
  if (mayBeForgotten) {
    const { data } = await stripe.refunds.list({ payment_intent: paymentId, limit: 100 }, within())
    const earlier = data.find(({ metadata }) => metadata?.[orderKey] === orderId)
    if (earlier !== undefined) return resultOf(earlier)
  }
  const form = { payment_intent: paymentId, amount, metadata: { [orderKey]: orderId } }
  try {
    return resultOf(await stripe.refunds.create(form, { idempotencyKey: orderId, ...within() }))
  } catch (error) {
    const rejected = isStripeErrorOf(error, 'StripeInvalidRequestError') || isStripeErrorOf(error, 'StripeCardError')
    if (!rejected) throw error
    const reason = [error.code, error.param].filter(Boolean).join(' ') || 'invalid request'
    return { kind: laterCodes.has(error.code ?? '') ? 'later' : 'rejected', reason }
  }
}

/** A refund that failed at once was not paid. */
function resultOf(refund: Stripe.Refund): RefundResult {
  const notice = readRefund({ ...refund }, { noticeId: refund.id, occurredAt: new Date(refund.created * 1_000) })
  if (notice === undefined) throw new Error('the payment processor returned a refund without a payment')
  return notice.outcome === 'refunded'
    ? { kind: 'accepted', notice }
    : { kind: 'rejected', reason: refund.failure_reason ?? 'the refund failed' }
}

export const stripeBase = 'https://api.stripe.com'

export interface StripeOptions {
  upstream: Upstream
  secretKey: string
  webhookSecret: string
}

interface Owners {
  customerId: string
  quoteId: string
  partnerId: string
}

/**
 * The payment processor, over the Stripe API, or a sandbox's simulator of it. Stripe remembers an idempotency key for
 * at least a day. If a customer's name or email address changes between two calls with the same key, the existing
 * customer is found by its metadata and updated, so that no second one is created.
 */
export function createStripePaymentProcessor({ upstream, secretKey, webhookSecret }: StripeOptions): PaymentProcessor {
  const make = createProcessorCalls(upstream, secretKey)

  return {
    createCustomer: ({ name, email, idempotencyKey, keysMayBeForgotten = false, existing = null, ...owners }, wait) =>
      make({ what: 'creating a customer', subject: owners.customerId, signal: wait?.until }, async (stripe, within) => {
        const found = keysMayBeForgotten && existing === null ? await findCustomer(stripe, owners, within) : undefined
        const left = existing ?? found?.id
        const updated =
          left === undefined
            ? undefined
            : await stripe.customers.update(left, { name, email }, within()).catch(unlessMissing)
        if (updated !== undefined) return { processorCustomerId: requireId(updated.id) }
        // The first key would return the customer that was deleted.
        const key = left === undefined ? idempotencyKey : `${idempotencyKey}:after:${left}`
        const { id } = await stripe.customers
          .create({ name, email, metadata: metadataOf(owners) }, { idempotencyKey: key, ...within() })
          .catch((error: unknown) => {
            if (!isStripeErrorOf(error, 'StripeIdempotencyError')) throw error
            return renameExisting(stripe, owners.customerId, { name, email }, within)
          })
        return { processorCustomerId: requireId(id) }
      }),

    deleteCustomer: ({ customerId, processorCustomerId }) =>
      make({ what: 'deleting a customer', subject: customerId }, async (stripe, within) => {
        const id = processorCustomerId ?? (await findCustomer(stripe, { customerId }, within))?.id
        if (id === undefined) return false
        await stripe.customers.del(id, within()).catch(unlessMissing)
        return true
      }),

    createSetupIntent: (
      { processorCustomerId, idempotencyKey, keysMayBeForgotten = false, known = [], ...owners },
      wait,
    ) =>
      make(
        { what: 'creating a setup intent', subject: owners.customerId, signal: wait?.until },
        async (stripe, within) => {
          const left = keysMayBeForgotten
            ? await findOpenSetupIntent(stripe, { processorCustomerId, known, ...owners }, within)
            : undefined
          if (left !== undefined) return readSetupIntentObject(left)
          const created = await stripe.setupIntents.create(
            {
              customer: processorCustomerId,
              // The library uses an API version from 2026-09-30 or later, which rejects `payment_method_types`.
              allowed_payment_method_types: ['card'],
              usage: 'off_session',
              metadata: metadataOf(owners),
            },
            { idempotencyKey, ...within() },
          )
          // A replay shows the intent as first created, so read its current state. (With the fetch transport, `headers`
          // is a Headers object despite its type. This code reads both.)
          const replayed = new Headers(created.lastResponse.headers).get('idempotent-replayed') === 'true'
          return readSetupIntentObject(
            replayed ? await stripe.setupIntents.retrieve(created.id, {}, within()) : created,
          )
        },
      ),

    readSetupIntent: (setupIntentId, wait) =>
      make({ what: 'reading a setup intent', subject: setupIntentId, signal: wait?.until }, async (stripe, within) =>
        // An expanded customer says whether it was deleted.
        readSetupIntentObject(await stripe.setupIntents.retrieve(setupIntentId, { expand: ['customer'] }, within())),
      ),

    readCard: ({ setupIntentId, makeDefault }, wait) =>
      make({ what: 'reading a card', subject: setupIntentId, signal: wait?.until }, async (stripe, within) => {
        const expand = ['payment_method']
        const { customer, payment_method } = await stripe.setupIntents.retrieve(setupIntentId, { expand }, within())
        const [payer, attached] = [idOf(customer), idOf(payment_method)]
        if (makeDefault && payer !== undefined && attached !== undefined)
          await stripe.customers.update(payer, { invoice_settings: { default_payment_method: attached } }, within())
        return cardOf(payment_method)
      }),

    cancelSetupIntent: (setupIntentId) =>
      make({ what: 'cancelling a setup intent', subject: setupIntentId }, (stripe, within) =>
        cancelOrRead(stripe, setupIntentId, within),
      ),

    refundPayment: (refund) =>
      make({ what: 'refunding a payment', subject: refund.paymentId }, (stripe, within) =>
        refundPayment(stripe, refund, within),
      ),

    takePayment: (payment) =>
      make({ what: 'taking a payment', subject: payment.entryId }, (stripe, within) =>
        takePayment(stripe, payment, within),
      ),

    listCollections: (question) =>
      make({ what: 'listing collections' }, (stripe, within) => listCollections(stripe, question, within)),

    async readNotice(rawBody, signatureHeader) {
      const { webhooks } = (await import('stripe')).default
      return readStripeNotice(rawBody, signatureHeader, { webhooks, webhookSecret, receivedAt: new Date() })
    },
  }
}

/** Ignores that the object no longer exists, and throws any other error. */
function unlessMissing(error: unknown): undefined {
  if (!isStripeError(error) || error.code !== 'resource_missing') throw error
}

function metadataOf({ customerId, quoteId, partnerId }: Owners): Record<string, string> {
  return { housebill_customer_id: customerId, housebill_quote_id: quoteId, housebill_partner_id: partnerId }
}

/**
 * Updates a customer that was already created with the same idempotency key but a different name or email. This happens
 * if the first response was lost and the tenant then corrected their details. The search for the customer may lag by a
 * minute; until it finds the customer, the caller must retry.
 */
async function renameExisting(
  stripe: Stripe,
  customerId: string,
  person: { name: string; email: string },
  within: GetTimeoutOptions,
): Promise<{ id: string }> {
  const existing = await findCustomer(stripe, { customerId }, within)
  if (existing === undefined)
    throw processorUnavailable(30, new Error('Payment processor: a recently created customer is not searchable yet.'))
  return stripe.customers.update(existing.id, person, within())
}

async function findCustomer(
  stripe: Stripe,
  { customerId }: Pick<Owners, 'customerId'>,
  within: GetTimeoutOptions,
): Promise<{ id: string } | undefined> {
  const query = `metadata['housebill_customer_id']:'${customerId}'`
  const { data } = await stripe.customers.search({ query, limit: 1 }, within())
  return data[0]
}

/**
 * Reads only the customer's newest hundred intents. That is enough: at most one intent is open at a time, and nobody is
 * likely to cancel a hundred.
 */
async function findOpenSetupIntent(
  stripe: Stripe,
  of: { processorCustomerId: string; customerId: string; known: readonly string[] },
  within: GetTimeoutOptions,
): Promise<Stripe.SetupIntent | undefined> {
  const { data } = await stripe.setupIntents.list({ customer: of.processorCustomerId, limit: 100 }, within())
  return data.find(
    ({ id, status, metadata }) =>
      status !== 'canceled' && metadata?.housebill_customer_id === of.customerId && !of.known.includes(id),
  )
}

async function cancelOrRead(stripe: Stripe, setupIntentId: string, within: GetTimeoutOptions): Promise<SetupIntent> {
  try {
    return readSetupIntentObject(await stripe.setupIntents.cancel(setupIntentId, {}, within()))
  } catch (error) {
    // The intent has succeeded, is processing or was already cancelled: return it as it is.
    if (!isStripeError(error) || error.code !== 'setup_intent_unexpected_state') throw error
    return readSetupIntentObject(await stripe.setupIntents.retrieve(setupIntentId, {}, within()))
  }
}

import type Stripe from 'stripe'
import type { CollectionNotice, PaymentNotice, ReversalNotice } from '../../payments/payment-processor.ts'
import {
  createProcessorCalls,
  type GetTimeoutOptions,
  isStripeError,
  isStripeErrorOf,
} from '../../payments/processor/processor-calls.ts'
import { entryIdKey, readCollection, readDispute, readRefund } from '../../payments/processor/stripe-payment.ts'
import { idOf, readSetupIntentObject } from '../../payments/processor/stripe-setup-intent.ts'
import type { ProcessorBehaviour, SandboxProcessor } from '../../payments/sandbox-processor.ts'
import { findCardByName, findCardByNumber, paymentMethodNames } from '../../payments/test-cards.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Upstream } from '../../platform/outbound/upstream.ts'

/** Acts as the tenant, the bank and the operator towards the simulator, through the same client as all other calls. */
export function createSandboxProcessor(upstream: Upstream, secretKey: string): SandboxProcessor {
  const make = createProcessorCalls(upstream, secretKey)
  const asItStands = async (stripe: Stripe, id: string, within: GetTimeoutOptions, step: Promise<unknown>) => {
    await step.catch((error: unknown) => {
      if (!leavesIntentUnchanged(error)) throw error
    })
    return readSetupIntentObject(await stripe.setupIntents.retrieve(id, {}, within()))
  }

  return {
    confirmSetupIntent: async (setupIntentId, paymentMethod, key) => {
      const payment_method = testCardName(paymentMethod)
      return make({ what: 'confirming a setup intent', subject: setupIntentId }, (stripe, within) => {
        const step = stripe.setupIntents.confirm(setupIntentId, { payment_method }, { ...under(key), ...within() })
        return asItStands(stripe, setupIntentId, within, step)
      })
    },

    authenticateSetupIntent: (setupIntentId, outcome, key) =>
      make({ what: 'authenticating a setup intent', subject: setupIntentId }, async (stripe, within) => {
        const path = `/v1/setup_intents/${encodeURIComponent(setupIntentId)}/verify`
        const form = { outcome: outcome === 'passed' ? 'authenticated' : 'failed' }
        const step = stripe.rawRequest('POST', path, form, { ...under(key), ...within() }).catch((error: unknown) => {
          throw isUnexpectedState(error) ? nothingToAuthenticate() : error
        })
        return asItStands(stripe, setupIntentId, within, step)
      }),

    collect: ({ setupIntentId, amount, entryId, outcome, idempotencyKey, ...owners }) =>
      make({ what: 'collecting', subject: setupIntentId }, async (stripe, within) => {
        const { customer, payment_method, status } = await stripe.setupIntents.retrieve(setupIntentId, {}, within())
        const attached = idOf(payment_method)
        const payer = idOf(customer)
        if (status !== 'succeeded' || attached === undefined || payer === undefined) throw noCard()
        const payment = {
          amount,
          currency: 'gbp',
          customer: payer,
          payment_method: outcome === undefined ? attached : cardThatEnds[outcome],
          confirm: true,
          off_session: true,
          metadata: {
            housebill_customer_id: owners.customerId,
            housebill_quote_id: owners.quoteId,
            housebill_partner_id: owners.partnerId,
            ...(entryId === null ? {} : { [entryIdKey]: entryId }),
          },
        }
        return stripe.paymentIntents
          .create(payment, { ...under(idempotencyKey), ...within() })
          .then(readPaymentIntent, (error: unknown) => {
            const declined = isStripeErrorOf(error, 'StripeCardError') ? error.payment_intent : undefined
            if (declined === undefined) throw error
            return readPaymentIntent(declined)
          })
      }),

    reverse: ({ paymentId, outcome, idempotencyKey }) =>
      make({ what: 'reversing a payment', subject: paymentId }, async (stripe, within) => {
        const options = { ...under(idempotencyKey), ...within() }
        const made =
          outcome === 'refunded'
            ? stripe.refunds.create({ payment_intent: paymentId }, options).then(readReversal)
            : stripe.rawRequest('POST', disputePath(paymentId), {}, options).then(readReversal)
        return made.catch((error: unknown) => {
          throw isStripeErrorOf(error, 'StripeInvalidRequestError') ? alreadyReversed() : error
        })
      }),

    findEarlier: (key) =>
      make({ what: 'finding an earlier call' }, async (stripe, within) => {
        const path = `/control/response?key=${encodeURIComponent(key)}`
        return readEarlier(await stripe.rawRequest('GET', path, undefined, within()))
      }),

    readBehaviour: (partnerId) =>
      make({ what: 'reading the simulator settings', subject: partnerId }, async (stripe, within) =>
        parseBehaviour(await stripe.rawRequest('GET', steeringPath(partnerId), undefined, within())),
      ),

    changeBehaviour: (partnerId, { delaySeconds, ...change }) =>
      make({ what: 'steering', subject: partnerId }, async (stripe, within) => {
        const form = { ...change, ...(delaySeconds === undefined ? {} : { delay_seconds: delaySeconds }) }
        return parseBehaviour(await stripe.rawRequest('POST', steeringPath(partnerId), form, within()))
      }),
  }
}

const cardThatEnds = { paid: 'pm_card_visa', failed: 'pm_card_chargeDeclined' } as const

function steeringPath(partnerId: string): string {
  return `/control/steering/${encodeURIComponent(partnerId)}`
}

/** The simulator's response, without the fields that the library adds. */
function parseBehaviour(body: unknown): ProcessorBehaviour {
  const { delaySeconds, lost, down } = body as ProcessorBehaviour
  return { delaySeconds, lost, down }
}

function leavesIntentUnchanged(error: unknown): boolean {
  return isStripeErrorOf(error, 'StripeCardError') || isUnexpectedState(error)
}

function isUnexpectedState(error: unknown): boolean {
  return isStripeError(error) && error.code === 'setup_intent_unexpected_state'
}

function under(idempotencyKey: string | undefined): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey }
}

/**
 * Returns the name of a test card, given its name or number. Throws for anything else, because it may be the number of
 * a real card.
 */
function testCardName(given: string): string {
  const card = findCardByName(given) ?? findCardByNumber(given.replaceAll(/[\s-]/g, ''))
  if (card !== undefined) return findCardByName(given) === undefined ? card.names[0] : given
  const detail = `The payment method is not known. Use one of the sandbox's test cards, by number or name: ${paymentMethodNames.join(', ')}.`
  throw invalidFields([{ pointer: '/paymentMethod', code: 'unknown_payment_method', detail }])
}

function nothingToAuthenticate(): DomainError {
  return new DomainError(
    'validation_failed',
    'The setup intent is not waiting for authentication. First confirm it with a card that requires authentication, such as pm_card_authenticationRequired.',
  )
}

function alreadyReversed(): DomainError {
  return new DomainError(
    'validation_failed',
    'This payment was already refunded or disputed. Collect another payment first.',
  )
}

function noCard(): DomainError {
  return new DomainError(
    'payment_setup_incomplete',
    'The customer has no card. First confirm their setup intent with a card.',
  )
}

/*
 * Translates the simulator's responses into what the notices about the same changes will say.
 */

/** No real processor lets anyone dispute a payment with a call: the simulator acts as the tenant's bank. */
function disputePath(paymentId: string): string {
  return `/v1/payment_intents/${encodeURIComponent(paymentId)}/dispute`
}

function readPaymentIntent(payment: Stripe.PaymentIntent): CollectionNotice {
  const outcome = payment.status === 'succeeded' ? 'paid' : 'failed'
  const event = { noticeId: payment.id, occurredAt: timeOf(payment), outcome } as const
  const collection = readCollection({ ...payment }, event)
  if (collection === undefined) throw new Error('the simulated processor returned a payment without a customer')
  return collection
}

/** Reads the response to a refund or to a dispute, which the library does not type. */
function readReversal(response: unknown): ReversalNotice {
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
function readEarlier(body: unknown): PaymentNotice | undefined {
  const { response } = body as { response: { body: Record<string, unknown> } | null }
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

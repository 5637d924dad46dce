import type Stripe from 'stripe'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { ProcessorNotice } from '../payment-processor.ts'
import { entryIdKey, isPaymentEvent, readPaymentEvent } from './stripe-payment.ts'
import { attemptOf, idOf, parseSetupIntentStatus } from './stripe-setup-intent.ts'

const toleranceSeconds = 300

/** How to verify a signature: with the library's `webhooks`. */
interface SignatureCheck {
  webhooks: typeof Stripe.webhooks
  webhookSecret: string
  receivedAt: Date
}

/**
 * Verifies a webhook's signature over its raw bytes, and that it is at most five minutes old. Returns the notice.
 * Throws `invalid_request` if the signature, its age or the body is invalid. The error does not say which, because only
 * a forger would need to know.
 */
export function readStripeNotice(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  check: SignatureCheck,
): ProcessorNotice {
  const notice = readStripeEvent(verifiedEvent(rawBody, signatureHeader, check))
  if (notice === undefined) throw notTheProcessors()
  return notice
}

/**
 * Throws the same error whatever the library throws: it throws many kinds here, even a plain `Error` for a malformed
 * header.
 */
function verifiedEvent(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  { webhooks, webhookSecret, receivedAt }: SignatureCheck,
): unknown {
  try {
    return webhooks.constructEvent(
      rawBody,
      signatureHeader ?? '',
      webhookSecret,
      toleranceSeconds,
      undefined,
      receivedAt.getTime(),
    )
  } catch (error) {
    throw notTheProcessors(error)
  }
}

function notTheProcessors(error?: unknown): DomainError {
  // The library's errors contain the whole body, so only their message is passed on.
  const cause = error instanceof Error ? { cause: new Error(error.message) } : {}
  return new DomainError(
    'invalid_request',
    'This is not a valid webhook from the payment processor. Check the signing secret and the clock, and make sure that the body arrives unchanged.',
    cause,
  )
}

const setupIntentTypes = new Set([
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'setup_intent.canceled',
  'setup_intent.requires_action',
])

/**
 * Translates an event of the processor into a notice. Intents and payments without a customer are not ours; their
 * notice has the kind `other`, and so has an event with a value that no payment and no intent can have: it will not
 * become better when it is sent again. Returns undefined if `event` is not an event of the processor.
 */
export function readStripeEvent(event: unknown): ProcessorNotice | undefined {
  if (!isRecord(event)) return undefined
  const { id, created } = event
  if (typeof id !== 'string' || id === '') return undefined
  const type = typeof event.type === 'string' ? event.type : 'unknown'
  const object = dataObject(event)
  const other: ProcessorNotice = { kind: 'other', noticeId: id, type }
  if (!isPaymentEvent(type) && !setupIntentTypes.has(type)) return other
  if (hasSenselessValue(event)) return other

  const isTimed = typeof created === 'number' && Number.isFinite(created)
  const occurredAt = new Date(isTimed ? created * 1000 : Number.NaN)
  if (isPaymentEvent(type)) {
    const notice = readPaymentEvent(type, object, { noticeId: id, occurredAt })
    return notice === undefined ? other : isTimed ? notice : undefined
  }
  const processorCustomerId = idOf(object.customer)
  if (processorCustomerId === undefined) return other
  if (!isTimed) return undefined

  if (typeof object.id !== 'string') return undefined
  const status = parseSetupIntentStatus(object.status)
  const intent = { setupIntentId: object.id, processorCustomerId, status, ...attemptOf(status, object) }
  return { kind: 'setup-intent', noticeId: id, occurredAt, intent }
}

/** The longest id that the operator API shows and accepts. */
const longestId = 255
/** 31 December 9999, in seconds. Later times are not shown as RFC 3339. */
const latestTime = 253_402_300_799

/** Whether a time of the event is none that can be stored or shown. */
export function hasSenselessTime({ created }: { created?: unknown }): boolean {
  return typeof created === 'number' && !(created >= 0 && created <= latestTime)
}

/** Whether something that we would store is no time, no amount or no id. */
function hasSenselessValue(event: Record<string, unknown>): boolean {
  const object = dataObject(event)
  const { metadata } = object
  const ids = ['id', 'customer', 'payment_intent', 'latest_charge', 'latest_attempt', 'charge'].map((name) =>
    idOf(object[name]),
  )
  const named = isRecord(metadata) ? metadata[entryIdKey] : undefined
  const amounts = ['amount', 'amount_received', 'amount_refunded'].map((name) => object[name])
  return (
    hasSenselessTime(event) ||
    [event.id, named, ...ids].some(isSenselessId) ||
    amounts.some((amount) => typeof amount === 'number' && !(Number.isSafeInteger(amount) && amount >= 0))
  )
}

function isSenselessId(id: unknown): boolean {
  // PostgreSQL stores no NUL.
  return typeof id === 'string' && (id.length > longestId || /\p{Cc}/u.test(id))
}

function dataObject(event: Record<string, unknown>): Record<string, unknown> {
  const object = isRecord(event.data) ? event.data.object : undefined
  return isRecord(object) ? object : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import Stripe from 'stripe'
import { DomainError } from '../../domain/kernel/errors.ts'
import type { ProcessorNotice } from '../../domain/payments/payment-processor.ts'
import { hasFailed, idOf, statusOf } from './stripe-setup-intent.ts'

const toleranceSeconds = 300

const setupIntentTypes = new Set([
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'setup_intent.canceled',
  'setup_intent.requires_action',
])

const collectionOutcomes = new Map<string, 'paid' | 'failed'>([
  ['payment_intent.succeeded', 'paid'],
  ['payment_intent.payment_failed', 'failed'],
  ['payment_intent.failed', 'failed'],
])

/**
 * Checks a webhook's signature over its raw bytes (at most five minutes old) and reads what it tells, in our words.
 * Notices about intents and payments without a customer are none of ours: `other`. Throws `invalid_request` where the
 * signature, its age or the body is not the processor's; which of them is not said, as only a forger would need it.
 */
export function readStripeNotice(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  check: { webhookSecret: string; receivedAt: Date },
): ProcessorNotice {
  const event = verifiedEvent(rawBody, signatureHeader, check)
  const { id, type, created } = event
  if (typeof id !== 'string' || id === '') throw notTheProcessors()
  const kind = typeof type === 'string' ? type : 'unknown'
  const object = dataObject(event)
  const other: ProcessorNotice = { kind: 'other', noticeId: id, type: kind }
  const outcome = collectionOutcomes.get(kind)
  if (outcome === undefined && !setupIntentTypes.has(kind)) return other

  const processorCustomerId = idOf(object.customer)
  if (processorCustomerId === undefined) return other
  if (typeof created !== 'number' || !Number.isFinite(created)) throw notTheProcessors()
  const occurredAt = new Date(created * 1000)
  if (outcome !== undefined) return { kind: 'collection', noticeId: id, occurredAt, processorCustomerId, outcome }

  if (typeof object.id !== 'string') throw notTheProcessors()
  const status = statusOf(object.status)
  const lastAttemptFailed = hasFailed(status, object.last_setup_error)
  const intent = { setupIntentId: object.id, processorCustomerId, status, lastAttemptFailed }
  return { kind: 'setup-intent', noticeId: id, occurredAt, intent }
}

/** The library throws many kinds of error here, plain ones for a broken header too: all mean the same. */
function verifiedEvent(
  rawBody: Buffer,
  signatureHeader: string | undefined,
  { webhookSecret, receivedAt }: { webhookSecret: string; receivedAt: Date },
): Record<string, unknown> {
  try {
    const event: unknown = Stripe.webhooks.constructEvent(
      rawBody,
      signatureHeader ?? '',
      webhookSecret,
      toleranceSeconds,
      undefined,
      receivedAt.getTime(),
    )
    if (isRecord(event)) return event
  } catch (error) {
    throw notTheProcessors(error)
  }
  throw notTheProcessors()
}

function dataObject(event: Record<string, unknown>): Record<string, unknown> {
  const object = isRecord(event.data) ? event.data.object : undefined
  return isRecord(object) ? object : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function notTheProcessors(error?: unknown): DomainError {
  // The library's errors carry the whole body: only their message goes on.
  const cause = error instanceof Error ? { cause: new Error(error.message) } : {}
  return new DomainError(
    'invalid_request',
    'This is not a webhook of the payment processor. Check the signing secret, the clock, and that the body arrives unchanged.',
    cause,
  )
}

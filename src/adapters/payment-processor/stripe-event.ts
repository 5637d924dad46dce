import type { ProcessorNotice } from '../../domain/payments/payment-processor.ts'
import { hasAttemptFailed, idOf, parseSetupIntentStatus } from './stripe-setup-intent.ts'

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
 * Translates an event of the processor into a notice. Intents and payments without a customer are not ours; their notice has the
 * kind `other`. Returns undefined if `event` is not an event of the processor.
 */
export function readStripeEvent(event: unknown): ProcessorNotice | undefined {
  if (!isRecord(event)) return undefined
  const { id, type, created } = event
  if (typeof id !== 'string' || id === '') return undefined
  const kind = typeof type === 'string' ? type : 'unknown'
  const object = dataObject(event)
  const other: ProcessorNotice = { kind: 'other', noticeId: id, type: kind }
  const outcome = collectionOutcomes.get(kind)
  if (outcome === undefined && !setupIntentTypes.has(kind)) return other

  const processorCustomerId = idOf(object.customer)
  if (processorCustomerId === undefined) return other
  if (typeof created !== 'number' || !Number.isFinite(created)) return undefined
  const occurredAt = new Date(created * 1000)
  if (outcome !== undefined) return { kind: 'collection', noticeId: id, occurredAt, processorCustomerId, outcome }

  if (typeof object.id !== 'string') return undefined
  const status = parseSetupIntentStatus(object.status)
  const lastAttemptFailed = hasAttemptFailed(status, object.last_setup_error)
  const intent = { setupIntentId: object.id, processorCustomerId, status, lastAttemptFailed }
  return { kind: 'setup-intent', noticeId: id, occurredAt, intent }
}

function dataObject(event: Record<string, unknown>): Record<string, unknown> {
  const object = isRecord(event.data) ? event.data.object : undefined
  return isRecord(object) ? object : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

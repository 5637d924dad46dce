import type { ProcessorNotice } from '../../domain/payments/payment-processor.ts'
import { isPaymentEvent, readPaymentEvent } from './stripe-payment.ts'
import { attemptOf, idOf, parseSetupIntentStatus } from './stripe-setup-intent.ts'

const setupIntentTypes = new Set([
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'setup_intent.canceled',
  'setup_intent.requires_action',
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
  if (!isPaymentEvent(kind) && !setupIntentTypes.has(kind)) return other

  const isTimed = typeof created === 'number' && Number.isFinite(created)
  const occurredAt = new Date(isTimed ? created * 1000 : Number.NaN)
  if (isPaymentEvent(kind)) {
    const notice = readPaymentEvent(kind, object, { noticeId: id, occurredAt })
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

function dataObject(event: Record<string, unknown>): Record<string, unknown> {
  const object = isRecord(event.data) ? event.data.object : undefined
  return isRecord(object) ? object : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

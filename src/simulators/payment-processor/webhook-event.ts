import { createHmac } from 'node:crypto'
import { newProcessorId } from './processor-ids.ts'
import type { SetupIntentChange } from './setup-intent.ts'

/** One event, ready to send: its id and type for the log, and the body that is signed. */
export interface WebhookEvent {
  id: string
  type: string
  body: string
}

/** The processor's event for a change. `created` is its clock in whole seconds, as on the wire. */
export function setupIntentEvent(
  change: SetupIntentChange,
  origin: { idempotencyKey: string | undefined },
  now: Date,
): WebhookEvent {
  const id = newProcessorId('evt')
  const event = {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created: Math.floor(now.getTime() / 1000),
    // The stored form has no client secret: an event goes to whoever the receiving URL belongs to.
    data: { object: change.intent },
    livemode: false,
    pending_webhooks: 1,
    request: { id: newProcessorId('req'), idempotency_key: origin.idempotencyKey ?? null },
    type: change.event,
  }
  return { id, type: change.event, body: JSON.stringify(event) }
}

/** `Stripe-Signature` of a body: HMAC-SHA256 over `<unix seconds>.<body>`, keyed with the whole secret text. */
export function signatureHeader(body: string, secret: string, sentAt: Date): string {
  const t = Math.floor(sentAt.getTime() / 1000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

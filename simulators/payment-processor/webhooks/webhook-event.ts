import { createHmac } from 'node:crypto'
import { newProcessorId } from '../protocol/processor-ids.ts'

/** A change that the processor tells of: the event's type and the object as it is now, in its stored form. */
export interface ToldChange {
  event: string
  /** The stored form has no client secret: an event goes to whoever the receiving URL belongs to. */
  object: object & { metadata: Record<string, string> }
  /** The processor's clock, where the object itself says when it happened. */
  at?: Date
}

/** One event, ready to send: whose it is, and the body that is signed. */
export interface WebhookEvent {
  id: string
  type: string
  partnerId: string | undefined
  /** By the processor's clock, in Unix seconds. */
  happenedAt: number
  body: string
}

/** The processor's event for a change. `created` is its clock in whole seconds, as on the wire. */
export function webhookEvent(
  { event: type, object, at }: ToldChange,
  origin: { idempotencyKey: string | undefined },
  now: Date,
): WebhookEvent {
  const id = newProcessorId('evt')
  const created = Math.floor((at ?? now).getTime() / 1000)
  const event = {
    id,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: newProcessorId('req'), idempotency_key: origin.idempotencyKey ?? null },
    type,
  }
  const partnerId = object.metadata.housebill_partner_id
  return { id, type, partnerId, happenedAt: created, body: JSON.stringify(event) }
}

/** `Stripe-Signature` of a body: HMAC-SHA256 over `<unix seconds>.<body>`, keyed with the whole secret text. */
export function signatureHeader(body: string, secret: string, sentAt: Date): string {
  const t = Math.floor(sentAt.getTime() / 1000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

import { createHmac } from 'node:crypto'
import { newProcessorId } from '../protocol/credentials.ts'

/** A change that an event reports: the event's type and the new stored form of the object. */
export interface PublishedChange {
  event: string
  /** The stored form, which has no client secret, because the owner of the receiving URL sees the event. */
  object: object & { metadata: Record<string, string> }
  /** Whose settings apply; defaults to the partner in the object's metadata. */
  partnerId?: string | undefined
  /** When the change happened; defaults to the current time. */
  at?: Date
}

/** One event that is ready to send, with its partner and the body to sign. */
export interface WebhookEvent {
  id: string
  type: string
  partnerId: string | undefined
  /** The processor's time, in Unix seconds. */
  happenedAt: number
  body: string
}

/** The processor's event for a change. `created` is the processor's time in whole seconds. */
export function webhookEvent(
  { event: type, object, at, ...change }: PublishedChange,
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
  const partnerId = change.partnerId ?? object.metadata.housebill_partner_id
  return { id, type, partnerId, happenedAt: created, body: JSON.stringify(event) }
}

/** The `Stripe-Signature` of a body: HMAC-SHA256 over `<unix seconds>.<body>`, keyed with the whole secret text. */
export function signatureHeader(body: string, secret: string, sentAt: Date): string {
  const t = Math.floor(sentAt.getTime() / 1000)
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`
}

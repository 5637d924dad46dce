import { randomBytes } from 'node:crypto'
import { type DomainEvent, type EventType, eventCatalogue, eventPayload, noLabels } from '../../events/event.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { verificationType } from '../delivery/response-outcome.ts'
import type { Webhook } from '../endpoints/subscription.ts'

/**
 * A message to be delivered. Every attempt sends `body` byte for byte. `messageId` is the `id` in the body and the
 * `webhook-id` header. The messages of events are built in SQL (`delivery-body.store.ts`).
 */
export interface Message {
  messageId: string
  type: string
  body: string
}

/** Asks the receiver to prove that it wants our messages by echoing the challenge. */
export function verificationMessage(webhookId: Id<'webhook'>, now: Date): Message {
  const challenge = randomBytes(24).toString('base64url')
  const messageId = newId('event')
  const data = { webhookId, challenge }
  const body = JSON.stringify({ id: messageId, type: verificationType, timestamp: now.toISOString(), data })
  return { messageId, type: verificationType, body }
}

/** Valid ids that do not belong to anything: all zeros. */
const nobody = { quoteId: `quote_${'0'.repeat(26)}`, customerId: `tenant_${'0'.repeat(26)}` }

/**
 * An example of an event. Its body is like that of a real event, but the quote and the customer do not exist, and it
 * contains `test: true`, which no other message contains. This mark is in the body so that it is signed and stored with
 * the message.
 */
export function testMessage(type: EventType, now: Date): Message {
  const messageId = newId('event')
  // Safe: the example is of this event type, and eventPayload drops members of other types.
  const data = eventPayload({ type, data: { ...eventCatalogue[type].example, ...nobody } } as DomainEvent, {
    ...noLabels,
    reference: 'test-event',
  })
  return {
    messageId,
    type,
    body: JSON.stringify({ id: messageId, type, timestamp: now.toISOString(), data, test: true }),
  }
}

/** A message queued at a partner's request. The partner can follow its delivery with the delivery's id. */
export interface QueuedMessage {
  deliveryId: Id<'delivery'>
  webhookId: Id<'webhook'>
  messageId: string
  type: string
}

/** Throws `webhook_disabled` if the webhook is disabled. */
export function requireEnabled({ status, disabledReason }: Webhook): void {
  if (status === 'active') return
  throw new DomainError(
    'webhook_disabled',
    `The webhook is disabled, so no messages are sent to it. ${disabledReason ?? ''} Enable it first: PATCH it with {"status": "active"}.`,
  )
}

import Type, { type Static } from 'typebox'
import { eventTypes } from '../../domain/events/event.ts'
import type { QueuedMessage } from '../../domain/webhooks/own-message.ts'
import type { Webhook } from '../../domain/webhooks/subscription.ts'
import { Id, Text, Timestamp, timestamp } from './values.ts'

export const webhookFields = {
  webhookId: Id(),
  url: Text(2_048),
  events: Type.Array(Type.Enum([...eventTypes]), { maxItems: eventTypes.length }),
  status: Type.Enum(['active', 'disabled']),
  verification: Type.Enum(['pending', 'verified', 'failed']),
  disabledReason: Type.Union([Text(1_000), Type.Null()], { description: 'why it is disabled; null while active' }),
  createdAt: Timestamp,
  disabledAt: Type.Union([Timestamp, Type.Null()], { description: 'since when it is disabled; null while active' }),
  failingSince: Type.Union([Timestamp, Type.Null()], {
    description:
      'since when every attempt has failed, null while none has since one that did not; after five days it is disabled',
  }),
  previousSecretValidUntil: Type.Union([Timestamp, Type.Null()], {
    description:
      'until when messages are signed with a replaced secret too, after a rotation; null while only one signs',
  }),
}

const WebhookObject = Type.Object(webhookFields)

export function presentWebhook(webhook: Webhook): Static<typeof WebhookObject> {
  const { webhookId, url, events, status, verification, disabledReason, createdAt, disabledAt, failingSince } = webhook
  const { previousSecretValidUntil } = webhook
  return {
    webhookId,
    url,
    events,
    status,
    verification,
    disabledReason,
    createdAt: timestamp(createdAt),
    disabledAt: disabledAt && timestamp(disabledAt),
    failingSince: failingSince && timestamp(failingSince),
    previousSecretValidUntil: previousSecretValidUntil && timestamp(previousSecretValidUntil),
  }
}

/** The answer where a partner asked for a message. */
export const queuedMessageFields = {
  deliveryId: Id('by which the delivery and its attempts can be read'),
  webhookId: Id(),
  messageId: Id("the message's id and its webhook-id header"),
  type: Text(100),
}

export function presentQueuedMessage({ deliveryId, webhookId, messageId, type }: QueuedMessage): QueuedMessage {
  return { deliveryId, webhookId, messageId, type }
}

import Type, { type Static } from 'typebox'
import { countInWords } from '../../domain/contracts/in-words.ts'
import { eventTypes } from '../../domain/events/event.ts'
import { maxFailingDays } from '../../domain/webhooks/endpoints/endpoint-health.ts'
import type { Webhook } from '../../domain/webhooks/endpoints/subscription.ts'
import type { QueuedMessage } from '../../domain/webhooks/messages/own-message.ts'
import { Id, Text, Timestamp, timestamp } from './values.ts'

export const webhookFields = {
  webhookId: Id(),
  url: Text(2_048),
  events: Type.Array(Type.Enum([...eventTypes]), { maxItems: eventTypes.length }),
  status: Type.Enum(['active', 'disabled']),
  verification: Type.Enum(['pending', 'verified', 'failed']),
  disabledReason: Type.Union([Text(1_000), Type.Null()], {
    description: 'Why the webhook is disabled; null while it is active.',
  }),
  createdAt: Timestamp,
  disabledAt: Type.Union([Timestamp, Type.Null()], {
    description: 'When the webhook was disabled; null while it is active.',
  }),
  failingSince: Type.Union([Timestamp, Type.Null()], {
    description: `When the current run of failures began; null if the latest attempt succeeded. After ${countInWords(maxFailingDays)} days of failures the webhook is disabled.`,
  }),
  previousSecretValidUntil: Type.Union([Timestamp, Type.Null()], {
    description:
      'After a rotation, messages are also signed with the previous secret until this time; null if only the current secret is used.',
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

/** The response of operations that queue a message. */
export const queuedMessageFields = {
  deliveryId: Id('The id of the delivery, for reading its attempts.'),
  webhookId: Id(),
  messageId: Id("The message's id, also sent as its `webhook-id` header."),
  type: Text(100),
}

export function presentQueuedMessage({ deliveryId, webhookId, messageId, type }: QueuedMessage): QueuedMessage {
  return { deliveryId, webhookId, messageId, type }
}

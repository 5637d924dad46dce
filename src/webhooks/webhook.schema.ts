import Type, { type Static } from 'typebox'
import { eventTypes } from '../events/event.ts'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { Id, presentAs, Text, Timestamp } from '../platform/http/schemas/values.ts'
import { countInWords } from '../platform/kernel/in-words.ts'
import type { Webhook } from './endpoints/subscription.ts'
import { EventTypeName } from './event.schema.ts'
import type { QueuedMessage } from './messages/message.ts'
import { maxFailingDays } from './webhook-errors.ts'

export const webhookFields = {
  webhookId: Id('The id of the webhook.'),
  url: Text(2_048, 'The HTTPS URL that messages are sent to.'),
  events: Type.Array(EventTypeName, {
    maxItems: eventTypes.length,
    description: 'The types of the events that are sent to the webhook.',
  }),
  status: Choice(['active', 'disabled'], 'A `disabled` webhook gets no messages.'),
  verification: Choice(
    ['pending', 'verified', 'failed'],
    'Whether the receiver has returned the challenge: `pending`, `verified` or `failed`. Events are sent once it is `verified`.',
  ),
  disabledReason: Nullable(Text(1_000, 'Why the webhook is disabled; null while it is active.')),
  createdAt: Timestamp('When the webhook was registered.'),
  disabledAt: Nullable(Timestamp('When the webhook was disabled; null while it is active.')),
  failingSince: Nullable(
    Timestamp(
      `When the current run of failures began; null if the latest attempt succeeded. After ${countInWords(maxFailingDays)} days of failures the webhook is disabled.`,
    ),
  ),
  previousSecretValidUntil: Nullable(
    Timestamp(
      'After a rotation, messages are also signed with the previous secret until this time; null if only the current secret is used.',
    ),
  ),
}

export const WebhookObject = ResponseObject('Webhook', 'A URL that gets signed messages about events.', webhookFields)

export function presentWebhook(webhook: Webhook): Static<typeof WebhookObject> {
  return presentAs(WebhookObject, webhook)
}

/** The response of operations that queue a message. */
export const QueuedMessageObject = ResponseObject('QueuedMessage', 'A message that is queued for delivery.', {
  deliveryId: Id('The id of the delivery, for reading its attempts.'),
  webhookId: Id('The id of the webhook.'),
  messageId: Id("The message's id, also sent as its `webhook-id` header."),
  type: Text(100, 'The type of the message, such as `webhook.verification`.'),
})

export function presentQueuedMessage({ deliveryId, webhookId, messageId, type }: QueuedMessage): QueuedMessage {
  return { deliveryId, webhookId, messageId, type }
}

import Type, { type Static } from 'typebox'
import type { Webhook } from '../../domain/webhooks/subscription.ts'
import { eventTypes } from '../../events/event.ts'
import { Timestamp, timestamp } from './values.ts'

export const webhookFields = {
  webhookId: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.Enum([...eventTypes])),
  status: Type.Enum(['active', 'disabled']),
  verification: Type.Enum(['pending', 'verified', 'failed']),
  disabledReason: Type.Union([Type.String(), Type.Null()], { description: 'why we disabled it; null while active' }),
  createdAt: Timestamp,
}

const WebhookObject = Type.Object(webhookFields)

export function presentWebhook(webhook: Webhook): Static<typeof WebhookObject> {
  const { webhookId, url, events, status, verification, disabledReason, createdAt } = webhook
  return { webhookId, url, events, status, verification, disabledReason, createdAt: timestamp(createdAt) }
}

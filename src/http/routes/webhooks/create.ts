import Type from 'typebox'
import { createWebhook } from '../../../domain/webhooks/create-webhook.ts'
import { repeatSecret } from '../../../domain/webhooks/repeat-secret.ts'
import { route } from '../../route.ts'
import { presentWebhook, webhookFields } from '../../wire/webhook.ts'

export const createWebhookRoute = route({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/Webhooks',
  tag: 'Webhooks',
  summary: 'Register a webhook',
  description:
    'The signing secret is in this answer and never shown again. A signed webhook.verification event with data.challenge follows at once: echo the challenge to be marked verified.',
  scope: 'webhooks:manage',
  body: Type.Object(
    {
      url: Type.String({ minLength: 1, maxLength: 2_000, description: 'https, publicly reachable' }),
      events: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 3 }),
    },
    { additionalProperties: false },
  ),
  reply: Type.Object(
    { ...webhookFields, secret: Type.String({ description: 'whsec_…' }) },
    { additionalProperties: false },
  ),
  errors: [
    'validation_failed',
    'webhook_url_not_allowed',
    'webhook_url_unreachable',
    'webhook_event_unknown',
    'too_many_webhooks',
    'service_unavailable',
  ],
  handle: (services, { caller, body }) => createWebhook(services, caller, body),
  present: ({ webhook, secret }) => ({ ...presentWebhook(webhook), secret }),
  secrets: {
    remove: (answer) => ({ ...(answer as object), secret: '' }),
    restore: async (services, caller, stored) => {
      const secret = await repeatSecret(services, caller, (stored as { webhookId: string }).webhookId)
      return { ...(stored as object), secret }
    },
  },
})

import Type from 'typebox'
import { Value } from 'typebox/value'
import type { FieldError } from '../../../domain/kernel/errors.ts'
import { createWebhook } from '../../../domain/webhooks/create-webhook.ts'
import { repeatSecret } from '../../../domain/webhooks/repeat-secret.ts'
import { unknownEvents } from '../../../domain/webhooks/subscription.ts'
import { parseWebhookUrl } from '../../../domain/webhooks/webhook-url.ts'
import { route } from '../../route.ts'
import { presentWebhook, webhookFields } from '../../wire/webhook.ts'

const CreateWebhookBody = Type.Object(
  {
    url: Type.String({ minLength: 1, maxLength: 2_048, description: 'https, publicly reachable' }),
    events: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 3 }),
  },
  { additionalProperties: false },
)

/** What else is wrong with a body of the wrong shape. One of the right shape is for the verb, which asks the name servers too. */
function breachesBesideShape(body: unknown): FieldError[] {
  if (Value.Check(CreateWebhookBody, body)) return []
  const { url, events } = (body ?? {}) as Record<string, unknown>
  const refusal = typeof url === 'string' && url !== '' ? parseWebhookUrl(url).refusal : undefined
  const ofUrl = refusal === undefined ? [] : [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: refusal }]
  return [...ofUrl, ...unknownEvents(events)]
}

export const createWebhookRoute = route({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/Webhooks',
  tag: 'Webhooks',
  summary: 'Register a webhook',
  description:
    'The signing secret is in this answer and never shown again. A signed webhook.verification event with data.challenge follows at once: echo the challenge to be marked verified.',
  scope: 'webhooks:manage',
  body: CreateWebhookBody,
  refine: breachesBesideShape,
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

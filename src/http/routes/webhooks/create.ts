import { createWebhook } from '../../../domain/webhooks/endpoints/create-webhook.ts'
import { firstSecretNumber } from '../../../domain/webhooks/secrets/secret.ts'
import { secretForReplayedResponse } from '../../../domain/webhooks/secrets/secret-for-replayed-response.ts'
import type { Id } from '../../../kernel/ids.ts'
import { route } from '../../route.ts'
import { RequestObject, ResponseObject } from '../../wire/named.ts'
import { Text } from '../../wire/values.ts'
import { presentWebhook, webhookFields } from '../../wire/webhooks/webhook.ts'
import { createMalformedBodyCheck, subscriptionFields } from './subscription-body.ts'

const CreateWebhookRequest = RequestObject('CreateWebhookRequest', 'The webhook to register.', subscriptionFields)

export const createWebhookRoute = route({
  operationId: 'createWebhook',
  method: 'POST',
  path: '/Webhooks',
  tag: 'Webhooks',
  summary: 'Register a webhook',
  description:
    'The response contains the signing secret, which is never shown again. Housebill then sends a signed `webhook.verification` event with `data.challenge`; return the challenge in your response to verify the webhook. Events are sent once it is verified.',
  scope: 'webhooks:manage',
  body: CreateWebhookRequest,
  refine: createMalformedBodyCheck(CreateWebhookRequest),
  reply: ResponseObject('CreatedWebhook', 'A new webhook with its secret.', {
    ...webhookFields,
    secret: Text(100, 'The signing secret, which starts with `whsec_`. It is never shown again.'),
  }),
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
      const { webhookId } = stored as { webhookId: Id<'webhook'> }
      const secret = await secretForReplayedResponse(services, caller, webhookId, firstSecretNumber)
      return { ...(stored as object), secret }
    },
  },
})

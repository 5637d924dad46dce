import { route } from '../../platform/http/route.ts'
import { RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text } from '../../platform/http/schemas/values.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { secretForReplayedResponse } from '../secrets/rotate-secret.ts'
import { firstSecretNumber } from '../secrets/secret.ts'
import { presentWebhook, webhookFields } from '../webhook.schema.ts'
import { createWebhook } from './create-webhook.ts'
import { createMalformedBodyCheck, subscriptionFields } from './subscription.schema.ts'

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
  handle: (deps, { caller, body }) => createWebhook(deps, caller, body),
  present: ({ webhook, secret }) => ({ ...presentWebhook(webhook), secret }),
  secrets: {
    remove: (response) => ({ ...(response as object), secret: '' }),
    restore: async (deps, caller, stored) => {
      const { webhookId } = stored as { webhookId: Id<'webhook'> }
      const secret = await secretForReplayedResponse(deps, caller, webhookId, firstSecretNumber)
      return { ...(stored as object), secret }
    },
  },
})

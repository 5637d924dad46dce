import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import { Text } from '../../platform/http/schemas/values.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { secretForReplayedResponse } from '../secrets/rotate-secret.ts'
import { firstSecretNumber } from '../secrets/secret.ts'
import { presentWebhook, WebhookObject, webhookFields } from '../webhook.schema.ts'
import { createWebhook } from './create-webhook.ts'
import { getWebhook, listWebhooks } from './list-webhooks.ts'
import { createMalformedBodyCheck, subscriptionFields } from './subscription.schema.ts'
import { updateWebhook } from './update-webhook.ts'

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

export const getWebhookRoute = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: WebhookObject,
  handle: (deps, { caller, id }) => getWebhook(deps, caller, id),
  present: presentWebhook,
})

export const listWebhooksRoute = route({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/Webhooks',
  tag: 'Webhooks',
  summary: 'List your webhooks, newest first',
  scope: 'webhooks:manage',
  query: Type.Object(PageQuery, { additionalProperties: false }),
  reply: PageOf('WebhookList', WebhookObject),
  errors: ['validation_failed'],
  handle: (deps, { caller, query }) =>
    listWebhooks(deps, caller, {
      beforeWebhookId: idFromCursor(query.cursor, 'webhook'),
      limit: query.limit ?? 20,
    }),
  present: ({ webhooks, nextBeforeWebhookId }) => ({
    data: webhooks.map(presentWebhook),
    nextCursor: encodeCursor(nextBeforeWebhookId),
  }),
})

const UpdateWebhookRequest = RequestObject(
  'UpdateWebhookRequest',
  'What to change.',
  {
    url: Type.Optional(subscriptionFields.url),
    events: Type.Optional(subscriptionFields.events),
    status: Type.Optional(Choice(['active', 'disabled'], 'Whether the webhook gets messages.')),
  },
  { minProperties: 1 },
)

export const updateWebhookRoute = route({
  operationId: 'updateWebhook',
  method: 'PATCH',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: "Update a webhook's URL, events or status",
  description:
    'Fields you leave out keep their values. If you change the URL, Housebill sends it a new challenge and `verification` becomes `pending`. Enabling the webhook clears earlier failures. Repeating the request has no further effect, so it does not need an Idempotency-Key.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: UpdateWebhookRequest,
  refine: createMalformedBodyCheck(UpdateWebhookRequest),
  reply: WebhookObject,
  errors: [
    'validation_failed',
    'webhook_url_not_allowed',
    'webhook_url_unreachable',
    'webhook_event_unknown',
    'too_many_webhooks',
    'service_unavailable',
  ],
  handle: (deps, { caller, id, body }) => updateWebhook(deps, caller, id, body),
  present: presentWebhook,
})

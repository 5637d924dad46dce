import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, RequestObject } from '../../platform/http/schemas/named.ts'
import { presentWebhook, WebhookObject } from '../webhook.schema.ts'
import { createMalformedBodyCheck, subscriptionFields } from './subscription.schema.ts'
import { updateWebhook } from './update-webhook.ts'

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

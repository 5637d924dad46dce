import { getWebhook } from '../../../domain/webhooks/endpoints/get-webhook.ts'
import { route } from '../../route.ts'
import { presentWebhook, WebhookObject } from '../../wire/webhooks/webhook.ts'

export const getWebhookRoute = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: WebhookObject,
  handle: (services, { caller, id }) => getWebhook(services, caller, id),
  present: presentWebhook,
})

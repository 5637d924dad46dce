import { route } from '../../platform/http/route.ts'
import { presentWebhook, WebhookObject } from '../webhook.schema.ts'
import { getWebhook } from './get-webhook.ts'

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

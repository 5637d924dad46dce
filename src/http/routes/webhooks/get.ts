import Type from 'typebox'
import { getWebhook } from '../../../domain/webhooks/endpoints/get-webhook.ts'
import { route } from '../../route.ts'
import { presentWebhook, webhookFields } from '../../wire/webhook.ts'

export const getWebhookRoute = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Get a webhook',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: Type.Object(webhookFields, { additionalProperties: false }),
  handle: (services, { caller, id }) => getWebhook(services, caller, id),
  present: presentWebhook,
})

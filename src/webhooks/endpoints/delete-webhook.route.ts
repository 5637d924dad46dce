import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Id } from '../../platform/http/schemas/values.ts'
import { deleteWebhook } from './delete-webhook.ts'

export const deleteWebhookRoute = route({
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description:
    'Stops all deliveries to the webhook, including pending ones, and deletes its delivery history. You can register another webhook in its place. A second call returns 404.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: ResponseObject('DeletedWebhook', 'A webhook that was deleted.', {
    id: Id('The id of the webhook.'),
    deleted: Type.Literal(true, { type: 'boolean', description: 'Always true.' }),
  }),
  handle: (deps, { caller, id }) => deleteWebhook(deps, caller, id),
  present: ({ webhookId }) => ({ id: webhookId, deleted: true as const }),
})

import Type from 'typebox'
import { deleteWebhook } from '../../../domain/webhooks/delete-webhook.ts'
import { route } from '../../route.ts'
import { Id } from '../../wire/values.ts'

export const deleteWebhookRoute = route({
  operationId: 'deleteWebhook',
  method: 'DELETE',
  path: '/Webhooks/{id}',
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description:
    'Nothing is sent to it any more, what waits for it included, and another can be registered in its place. Its deliveries go with it. A second call finds nothing: 404.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: Type.Object({ id: Id(), deleted: Type.Literal(true) }, { additionalProperties: false }),
  handle: (services, { caller, id }) => deleteWebhook(services, caller, id),
  present: ({ webhookId }) => ({ id: webhookId, deleted: true as const }),
})

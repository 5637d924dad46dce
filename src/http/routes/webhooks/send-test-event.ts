import Type from 'typebox'
import { sendTestEvent } from '../../../domain/webhooks/send-test-event.ts'
import { route } from '../../route.ts'
import { presentQueuedMessage, queuedMessageFields } from '../../wire/webhook.ts'

export const sendTestEventRoute = route({
  operationId: 'sendTestEvent',
  method: 'POST',
  path: '/Webhooks/{id}/send-test-event',
  tag: 'Webhooks',
  summary: 'Send an example event to a webhook',
  description:
    'Signed, delivered and retried like any other, with "test": true in its body, about a quote and a customer that do not exist. The answer comes at once; read the delivery to see what became of it.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: Type.Object(
    {
      type: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'any event, subscribed or not; the first subscribed one unless told',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyIsOptional: true,
  reply: Type.Object(queuedMessageFields, { additionalProperties: false }),
  errors: ['webhook_disabled', 'webhook_event_unknown'],
  handle: (services, { caller, id, body }) => sendTestEvent(services, caller, id, body ?? {}),
  present: presentQueuedMessage,
})

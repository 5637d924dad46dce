import Type from 'typebox'
import { sendTestEvent } from '../../../domain/webhooks/messages/send-test-event.ts'
import { route } from '../../route.ts'
import { presentQueuedMessage, queuedMessageFields } from '../../wire/webhook.ts'

export const sendTestEventRoute = route({
  operationId: 'sendTestEvent',
  method: 'POST',
  path: '/Webhooks/{id}/send-test-event',
  tag: 'Webhooks',
  summary: 'Send a test event to a webhook',
  description:
    'The test event is signed, delivered and retried like any other. Its body contains `"test": true` and names a quote and a customer that do not exist. The response returns immediately; get the delivery to see the outcome.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: Type.Object(
    {
      type: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The type of event to send, subscribed or not. Defaults to the first subscribed type.',
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

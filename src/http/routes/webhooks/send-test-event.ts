import Type from 'typebox'
import { sendTestEvent } from '../../../domain/webhooks/messages/send-test-event.ts'
import { route } from '../../route.ts'
import { described, documentedAs, RequestObject } from '../../wire/named.ts'
import { EventTypeName } from '../../wire/webhooks/event.ts'
import { presentQueuedMessage, QueuedMessageObject } from '../../wire/webhooks/webhook.ts'

export const sendTestEventRoute = route({
  operationId: 'sendTestEvent',
  method: 'POST',
  path: '/Webhooks/{id}/send-test-event',
  tag: 'Webhooks',
  summary: 'Send a test event to a webhook',
  description:
    'The test event is signed, delivered and retried like any other. Until the webhook is verified, it is not retried, and a host gets at most 5 an hour. Its body contains `"test": true` and names a quote and a customer that do not exist. The response returns immediately; get the delivery to see the outcome.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: RequestObject('TestEventRequest', 'The test event to send.', {
    type: Type.Optional(
      documentedAs(
        Type.String({ maxLength: 100 }),
        described(
          EventTypeName,
          'The type of event to send, subscribed or not. Defaults to the first subscribed type.',
        ),
      ),
    ),
  }),
  bodyIsOptional: true,
  reply: QueuedMessageObject,
  errors: ['webhook_disabled', 'webhook_event_unknown'],
  handle: (services, { caller, id, body }) => sendTestEvent(services, caller, id, body ?? {}),
  present: presentQueuedMessage,
})

import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { described, documentedAs, RequestObject } from '../../platform/http/schemas/named.ts'
import { EventTypeName } from '../event.schema.ts'
import { presentQueuedMessage, QueuedMessageObject } from '../webhook.schema.ts'
import { sendTestEvent, sendVerification } from './send-test-event.ts'

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
  handle: (deps, { caller, id, body }) => sendTestEvent(deps, caller, id, body ?? {}),
  present: presentQueuedMessage,
})

export const sendVerificationRoute = route({
  operationId: 'sendVerification',
  method: 'POST',
  path: '/Webhooks/{id}/send-verification',
  tag: 'Webhooks',
  summary: 'Send a new verification challenge to a webhook',
  description:
    'Use this after a verification failed, or to avoid waiting for the next attempt of a pending one. Any earlier challenge becomes invalid. A webhook that is already verified stays verified, whatever the outcome.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: QueuedMessageObject,
  errors: ['webhook_disabled'],
  handle: (deps, { caller, id }) => sendVerification(deps, caller, id),
  present: presentQueuedMessage,
})

import Type from 'typebox'
import { sendVerification } from '../../../domain/webhooks/send-verification.ts'
import { route } from '../../route.ts'
import { presentQueuedMessage, queuedMessageFields } from '../../wire/webhook.ts'

export const sendVerificationRoute = route({
  operationId: 'sendVerification',
  method: 'POST',
  path: '/Webhooks/{id}/send-verification',
  tag: 'Webhooks',
  summary: 'Send a new challenge to a webhook',
  description:
    'After a verification that failed, or to wait no longer for the next attempt of one under way, whose challenge then counts no more. A webhook that is verified stays so, whatever comes of it.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: Type.Object(queuedMessageFields, { additionalProperties: false }),
  errors: ['webhook_disabled'],
  handle: (services, { caller, id }) => sendVerification(services, caller, id),
  present: presentQueuedMessage,
})

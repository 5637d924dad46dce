import { route } from '../../platform/http/route.ts'
import { presentQueuedMessage, QueuedMessageObject } from '../webhook.schema.ts'
import { sendVerification } from './send-verification.ts'

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
  handle: (services, { caller, id }) => sendVerification(services, caller, id),
  present: presentQueuedMessage,
})

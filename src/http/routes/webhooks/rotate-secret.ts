import { type RotatedSecret, rotateSecret } from '../../../domain/webhooks/secrets/rotate-secret.ts'
import { overlapSeconds } from '../../../domain/webhooks/secrets/secret.ts'
import { secretForReplayedResponse } from '../../../domain/webhooks/secrets/secret-for-replayed-response.ts'
import type { Id } from '../../../kernel/ids.ts'
import { inHours } from '../../openapi/time-in-words.ts'
import { route } from '../../route.ts'
import { ResponseObject } from '../../wire/named.ts'
import { Text, Timestamp, timestamp } from '../../wire/values.ts'
import { presentWebhook, webhookFields } from '../../wire/webhooks/webhook.ts'

export const rotateWebhookSecretRoute = route({
  operationId: 'rotateWebhookSecret',
  method: 'POST',
  path: '/Webhooks/{id}/rotate-secret',
  tag: 'Webhooks',
  summary: "Rotate a webhook's secret",
  description: `The response contains the new secret, which is never shown again. The previous secret stays valid for ${inHours(overlapSeconds)}; until then every message carries a signature for each secret, newest first. Send an Idempotency-Key so that retrying after a lost response does not rotate the secret again.`,
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  reply: ResponseObject('RotatedWebhookSecret', 'A webhook with its new secret.', {
    ...webhookFields,
    secret: Text(100, 'The signing secret, which starts with `whsec_`. It is never shown again.'),
    previousSecretValidUntil: Timestamp('Until this time, messages are also signed with the previous secret.'),
  }),
  handle: (services, { caller, id }) => rotateSecret(services, caller, id),
  present: ({ webhook, secret, previousSecretValidUntil }) => ({
    ...presentWebhook(webhook),
    secret,
    previousSecretValidUntil: timestamp(previousSecretValidUntil),
  }),
  secrets: {
    remove: (answer, result) => {
      const { secretNumber } = result as RotatedSecret
      return { ...(answer as object), secret: '', secretNumber }
    },
    restore: async (services, caller, stored) => {
      const { secretNumber, ...answer } = stored as { webhookId: Id<'webhook'>; secretNumber: number }
      return { ...answer, secret: await secretForReplayedResponse(services, caller, answer.webhookId, secretNumber) }
    },
  },
})

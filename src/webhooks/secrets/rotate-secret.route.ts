import { route } from '../../platform/http/route.ts'
import { ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { presentWebhook, webhookFields } from '../webhook.schema.ts'
import { type RotatedSecret, rotateSecret, secretForReplayedResponse } from './rotate-secret.ts'
import { overlapSeconds } from './secret.ts'

export const rotateSecretRoute = route({
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
  handle: (deps, { caller, id }) => rotateSecret(deps, caller, id),
  present: ({ webhook, secret, previousSecretValidUntil }) => ({
    ...presentWebhook(webhook),
    secret,
    previousSecretValidUntil: timestamp(previousSecretValidUntil),
  }),
  secrets: {
    remove: (response, result) => {
      const { secretNumber } = result as RotatedSecret
      return { ...(response as object), secret: '', secretNumber }
    },
    restore: async (deps, caller, stored) => {
      const { secretNumber, ...response } = stored as { webhookId: Id<'webhook'>; secretNumber: number }
      return {
        ...response,
        secret: await secretForReplayedResponse(deps, caller, response.webhookId, secretNumber),
      }
    },
  },
})

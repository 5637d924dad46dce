import Type from 'typebox'
import { replayWebhook } from '../../../domain/webhooks/replay-webhook.ts'
import { route } from '../../route.ts'
import { presentReplay, ReplayObject } from '../../wire/replay.ts'
import { optionalInstant } from '../../wire/values.ts'

export const replayWebhookRoute = route({
  operationId: 'replayWebhook',
  method: 'POST',
  path: '/Webhooks/{id}/replay',
  tag: 'Webhooks',
  summary: 'Send again what a webhook missed',
  description:
    'Everything that failed, and every event of the subscribed types that was not sent as the webhook was disabled, in order per quote and under the webhook-id it always had. Answered at once; GET /Replays/{id} tells how far it has come. While one runs, the same replay is answered, and covers the new range as well.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: Type.Object(
    {
      since: Type.Optional(
        Type.String({
          format: 'date-time',
          maxLength: 35,
          description: 'events of this time or later, at most 30 days ago; all that is kept unless given',
        }),
      ),
      until: Type.Optional(
        Type.String({ format: 'date-time', maxLength: 35, description: 'events before this time; now unless given' }),
      ),
    },
    { additionalProperties: false },
  ),
  bodyIsOptional: true,
  reply: ReplayObject,
  errors: ['validation_failed', 'webhook_disabled'],
  handle: (services, { caller, id, body }) =>
    replayWebhook(services, caller, id, { since: optionalInstant(body?.since), until: optionalInstant(body?.until) }),
  present: presentReplay,
})

import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { GivenTimestamp, parseOptionalInstant } from '../../platform/http/schemas/values.ts'
import { keptDays } from '../history/kept-payloads.ts'
import { presentReplay, ReplayObject } from '../replay.schema.ts'
import { replayWebhook } from './replay-webhook.ts'

export const replayWebhookRoute = route({
  operationId: 'replayWebhook',
  method: 'POST',
  path: '/Webhooks/{id}/replay',
  tag: 'Webhooks',
  summary: 'Replay the events a webhook missed',
  description:
    'Queues every failed delivery again, and every event of the subscribed types that was not sent because the webhook was disabled. Events stay in order within a quote and keep their `webhook-id`. The response returns immediately; `GET /Replays/{id}` shows the progress. If a replay is already running, the call returns that replay and extends it to cover the new range.',
  idDescription: 'webhookId',
  scope: 'webhooks:manage',
  body: RequestObject('ReplayRequest', 'Which events to replay.', {
    since: Type.Optional(
      GivenTimestamp(
        `Replay events from this time on, at most ${keptDays} days ago. Defaults to everything that is kept.`,
      ),
    ),
    until: Type.Optional(GivenTimestamp('Replay events before this time. Defaults to now.')),
  }),
  bodyIsOptional: true,
  reply: ReplayObject,
  errors: ['validation_failed', 'webhook_disabled'],
  handle: (services, { caller, id, body }) =>
    replayWebhook(services, caller, id, {
      since: parseOptionalInstant(body?.since),
      until: parseOptionalInstant(body?.until),
    }),
  present: presentReplay,
})

import Type, { type Static } from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import {
  Count,
  GivenTimestamp,
  Id,
  parseOptionalInstant,
  presentAs,
  Timestamp,
} from '../../platform/http/schemas/values.ts'
import { DeliveryObject, presentDelivery } from '../delivery.schema.ts'
import { keptDays } from '../history/kept-payloads.ts'
import { redeliver } from './redeliver.ts'
import { type Replay, replayStatuses } from './replay.ts'
import { getReplay, replayWebhook } from './replay-webhook.ts'

const ReplayObject = ResponseObject('Replay', 'A replay of the events a webhook missed.', {
  replayId: Id('The id of the replay.'),
  webhookId: Id('The id of the webhook.'),
  status: Choice(
    replayStatuses,
    '`running`; `completed`: everything is queued; `stopped`: the webhook was disabled in the meantime.',
  ),
  since: Timestamp('Events from this time on are replayed.'),
  until: Timestamp('Events before this time are replayed.'),
  redelivered: Count('The number of failed deliveries queued again so far.'),
  missed: Count('The number of events queued so far that had no delivery.'),
  createdAt: Timestamp('When the replay was requested.'),
  finishedAt: Nullable(Timestamp('When the replay ended; null while it is running.')),
})

function presentReplay(replay: Replay): Static<typeof ReplayObject> {
  return presentAs(ReplayObject, replay)
}

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
  handle: (deps, { caller, id, body }) =>
    replayWebhook(deps, caller, id, {
      since: parseOptionalInstant(body?.since),
      until: parseOptionalInstant(body?.until),
    }),
  present: presentReplay,
})

export const getReplayRoute = route({
  operationId: 'getReplay',
  method: 'GET',
  path: '/Replays/{id}',
  tag: 'Webhooks',
  summary: "Get a replay's progress",
  idDescription: 'replayId',
  scope: 'webhooks:manage',
  reply: ReplayObject,
  handle: (deps, { caller, id }) => getReplay(deps, caller, id),
  present: presentReplay,
})

export const redeliverRoute = route({
  operationId: 'redeliver',
  method: 'POST',
  path: '/Deliveries/{id}/redeliver',
  tag: 'Webhooks',
  summary: 'Redeliver a message',
  description:
    "Sends the message again to the webhook's current URL, with the same `webhook-id` and a full set of retries. Works for any delivery, including one that succeeded. A delivery that is waiting for a retry becomes due immediately. A delivery that is being sent is sent again only if that attempt fails.",
  idDescription: 'deliveryId',
  scope: 'webhooks:manage',
  reply: DeliveryObject,
  errors: ['webhook_disabled'],
  handle: (deps, { caller, id }) => redeliver(deps, caller, id),
  present: presentDelivery,
})

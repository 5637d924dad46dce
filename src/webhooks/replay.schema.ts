import type { Static } from 'typebox'
import { Choice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { Count, Id, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { type Replay, replayStatuses } from './replay/replay.ts'

export const ReplayObject = ResponseObject('Replay', 'A replay of the events a webhook missed.', {
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

export function presentReplay(replay: Replay): Static<typeof ReplayObject> {
  const { replayId, webhookId, status, redelivered, missed } = replay
  return {
    replayId,
    webhookId,
    status,
    since: timestamp(replay.since),
    until: timestamp(replay.until),
    redelivered,
    missed,
    createdAt: timestamp(replay.createdAt),
    finishedAt: replay.finishedAt && timestamp(replay.finishedAt),
  }
}

import Type, { type Static } from 'typebox'
import { type Replay, replayStatuses } from '../../domain/webhooks/replay/replay.ts'
import { Count, Id, Timestamp, timestamp } from './values.ts'

export const ReplayObject = Type.Object(
  {
    replayId: Id(),
    webhookId: Id(),
    status: Type.Enum([...replayStatuses], {
      description: '`running`; `completed`: everything is queued; `stopped`: the webhook was disabled in the meantime.',
    }),
    since: Timestamp,
    until: Timestamp,
    redelivered: Count('The number of failed deliveries queued again so far.'),
    missed: Count('The number of events queued so far that had no delivery.'),
    createdAt: Timestamp,
    finishedAt: Type.Union([Timestamp, Type.Null()], {
      description: 'When the replay ended; null while it is running.',
    }),
  },
  { additionalProperties: false },
)

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

import Type, { type Static } from 'typebox'
import { type Replay, replayStatuses } from '../../domain/webhooks/replay.ts'
import { Count, Id, Timestamp, timestamp } from './values.ts'

export const ReplayObject = Type.Object(
  {
    replayId: Id(),
    webhookId: Id(),
    status: Type.Enum([...replayStatuses], {
      description: 'running; completed, when all is queued; or stopped, as the webhook was disabled meanwhile',
    }),
    since: Timestamp,
    until: Timestamp,
    redelivered: Count('deliveries that had failed, queued again so far'),
    missed: Count('events without a delivery, queued so far'),
    createdAt: Timestamp,
    finishedAt: Type.Union([Timestamp, Type.Null()], { description: 'null while running' }),
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

import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Replay } from './replay.ts'
import { findReplay } from './replays.store.ts'

/** GET /Replays/{id} (not in the specification). The progress of a replay. Throws `not_found`. */
export async function getReplay({ db }: { db: Database }, caller: Caller, replayId: Id<'replay'>): Promise<Replay> {
  const replay = await findReplay(db, caller.partnerId, replayId)
  if (replay === undefined) throw notFound('replay')
  return replay
}

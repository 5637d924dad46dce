import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Caller } from '../../auth/caller.ts'
import type { Replay } from './replay.ts'
import { findReplay } from './replays.store.ts'

/** GET /Replays/{id} (not in the specification). The progress of a replay. Throws `not_found`. */
export async function getReplay({ db }: { db: Database }, caller: Caller, replayId: Id<'replay'>): Promise<Replay> {
  const replay = await findReplay(db, caller.partnerId, replayId)
  if (replay === undefined) throw notFound('replay')
  return replay
}

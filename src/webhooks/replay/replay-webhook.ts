import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import { lockWebhook } from '../endpoints/webhooks.store.ts'
import { requireEnabled } from '../messages/message.ts'
import { type Replay, type ReplayRequest, rangeOf, widenedRange } from './replay.ts'
import {
  deleteOldReplays,
  findReplay,
  insertReplay,
  lockReplaysAndGetTime,
  lockRunningReplay,
  widenReplay,
} from './replays.store.ts'

/**
 * POST /Webhooks/{id}/replay (not in the specification). Starts a replay, which sends every failed event of a time
 * range again, and every event that was never sent. The workers carry it out (`advance-replay.ts`). A webhook has one
 * replay at a time. While one is running, the call returns it and extends it to cover the new range as well. Throws
 * `not_found`, `webhook_disabled`, and
 * `validation_failed` for an impossible range.
 */
export async function replayWebhook(
  { db }: { db: Database },
  caller: Pick<Caller, 'partnerId' | 'responseRecorder'>,
  webhookId: Id<'webhook'>,
  request: ReplayRequest,
): Promise<Replay> {
  const { partnerId } = caller
  return inTransaction(db, caller, async (tx) => {
    const now = await lockReplaysAndGetTime(tx, partnerId)
    const webhook = await lockWebhook(tx, partnerId, webhookId)
    if (webhook === undefined) throw notFound('webhook')
    requireEnabled(webhook)
    const requested = rangeOf(request, now)
    await deleteOldReplays(tx, partnerId, webhookId)
    const running = await lockRunningReplay(tx, partnerId, webhookId)
    tx.wakeAfterCommit('replays')
    if (running === undefined)
      return insertReplay(tx, partnerId, { replayId: newId('replay'), webhookId, range: requested })
    const { replay, isOpen } = running
    const range = widenedRange({ since: replay.since, until: replay.until, isOpen }, requested)
    return range === undefined ? replay : widenReplay(tx, partnerId, replay.replayId, range)
  })
}

/** GET /Replays/{id} (not in the specification). The progress of a replay. Throws `not_found`. */
export async function getReplay({ db }: { db: Database }, caller: Caller, replayId: Id<'replay'>): Promise<Replay> {
  const replay = await findReplay(db, caller.partnerId, replayId)
  if (replay === undefined) throw notFound('replay')
  return replay
}

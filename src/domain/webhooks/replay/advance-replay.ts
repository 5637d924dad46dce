import { type Database, inQueueTransaction, type Tx } from '../../../db/database.ts'
import { listEvents } from '../../event-log/event-log.store.ts'
import type { LoggedEvent } from '../../event-log/logged-event.ts'
import { waitForDispatchLock } from '../delivery/dispatch.store.ts'
import { listDeliveriesOfEvents, queueMissed, requeueFailed } from './redeliveries.store.ts'
import { type ReplayUnderWay, takeReplay, updateProgress } from './replays.store.ts'

export interface ReplayPace {
  /** Events looked at in one transaction. */
  batch: number
  /** A replay pauses while so many events wait for its webhook, retries included: the rest stays where it is until then. */
  maxWaiting: number
}

/**
 * Goes on with one running replay by one batch, in the order in which the events were dispatched, and so in the order of each
 * quote; false where there is none to go on with now. What is queued and how far the replay has come are one transaction:
 * after a crash it goes on where it was, and nothing is queued twice.
 */
export async function advanceReplay({ db }: { db: Database }, { batch, maxWaiting }: ReplayPace): Promise<boolean> {
  return inQueueTransaction(db, async (tx) => {
    const replay = await takeReplay(tx, maxWaiting)
    if (replay === undefined) return false
    const { position } = replay
    if (replay.webhookStatus !== 'active') {
      await updateProgress(tx, replay, { position, redelivered: 0, missed: 0, status: 'stopped' })
      return true
    }
    const events = await listBatch(tx, replay, batch)
    const queued = await queue(tx, replay, events)
    const status = events.length < batch ? 'completed' : 'running'
    await updateProgress(tx, replay, { position: events.at(-1)?.position ?? position, ...queued, status })
    return true
  })
}

/**
 * The next events, less than a batch only where there are no more. A dispatcher that is at it may have found the webhook disabled
 * before, and makes known what was missed only when it ends: it is waited for before a replay is said to be complete.
 */
async function listBatch(tx: Tx, { partnerId, types, from, until, position }: ReplayUnderWay, batch: number) {
  const list = () =>
    listEvents(
      tx,
      partnerId,
      { types, quoteId: undefined, createdAfter: from, createdBefore: until },
      { order: 'oldest', past: position, limit: batch },
    )
  const events = await list()
  if (events.length === batch) return events
  await waitForDispatchLock(tx)
  return list()
}

/** Queues what failed and what was missed, each at its place in the order of its quote. */
async function queue(
  tx: Tx,
  { partnerId, webhookId }: ReplayUnderWay,
  events: readonly LoggedEvent[],
): Promise<{ redelivered: number; missed: number }> {
  const eventIds = events.map(({ eventId }) => eventId)
  const deliveries = await listDeliveriesOfEvents(tx, partnerId, webhookId, eventIds)
  const failed = deliveries.filter(({ status }) => status === 'failed').map(({ deliveryId }) => deliveryId)
  const known = new Set(deliveries.map(({ eventId }) => eventId))
  const missed = eventIds.filter((eventId) => !known.has(eventId))
  return {
    redelivered: failed.length === 0 ? 0 : await requeueFailed(tx, partnerId, failed),
    missed: missed.length === 0 ? 0 : await queueMissed(tx, partnerId, webhookId, missed),
  }
}

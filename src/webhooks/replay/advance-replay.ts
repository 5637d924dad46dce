import { type Database, inQueueTransaction, type Tx } from '../../platform/db/database.ts'
import { waitForDispatchLock } from '../delivery/dispatch.store.ts'
import { listEvents } from '../event-log/event-log.store.ts'
import type { LoggedEvent } from '../event-log/logged-event.ts'
import {
  listDeliveriesOfEvents,
  lockNextReplay,
  queueMissedEvents,
  type RunningReplay,
  requeueFailedDeliveries,
  updateProgress,
} from './replays.store.ts'

export interface ReplayPace {
  /** The number of events processed in one transaction. */
  batch: number
  /** A replay pauses while its webhook has this many pending events, including retries. */
  maxWaiting: number
}

/**
 * Advances one running replay by one batch. Events are replayed in the order in which they were dispatched, so those of
 * each quote are in order. Returns false if there is no replay to advance now. Deliveries are queued and the progress
 * is saved in one transaction: after a crash, the replay continues from there and queues nothing twice.
 */
export async function advanceReplay({ db }: { db: Database }, { batch, maxWaiting }: ReplayPace): Promise<boolean> {
  return inQueueTransaction(db, async (tx) => {
    const replay = await lockNextReplay(tx, maxWaiting)
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
 * Lists the next events to replay. A batch that is not full is the end of the range. Before it returns such a batch, it
 * waits for any dispatcher that is still running and lists the events again, because that dispatcher may have found the
 * webhook disabled. The events that the webhook missed as a result become visible only when the dispatcher commits.
 */
async function listBatch(tx: Tx, { partnerId, types, from, until, position }: RunningReplay, batch: number) {
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

/** Queues failed and missed events so that the events of each quote stay in order. */
async function queue(
  tx: Tx,
  { partnerId, webhookId }: RunningReplay,
  events: readonly LoggedEvent[],
): Promise<{ redelivered: number; missed: number }> {
  const eventIds = events.map(({ eventId }) => eventId)
  const deliveries = await listDeliveriesOfEvents(tx, partnerId, webhookId, eventIds)
  const failed = deliveries.filter(({ status }) => status === 'failed').map(({ deliveryId }) => deliveryId)
  const known = new Set(deliveries.map(({ eventId }) => eventId))
  const missed = eventIds.filter((eventId) => !known.has(eventId))
  return {
    redelivered: failed.length === 0 ? 0 : await requeueFailedDeliveries(tx, partnerId, failed),
    missed: missed.length === 0 ? 0 : await queueMissedEvents(tx, partnerId, webhookId, missed),
  }
}

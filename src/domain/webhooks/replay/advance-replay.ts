import { type Database, inQueueTransaction, type Tx } from '../../../db/database.ts'
import { newId } from '../../../kernel/ids.ts'
import { listEvents } from '../../event-log/event-log.store.ts'
import type { LoggedEvent } from '../../event-log/logged-event.ts'
import { holdBackDispatchers, holdBackRecorders, insertMissed } from '../delivery/outbox.store.ts'
import { listBusyQuotes, lockDeliveriesOfEvents, requeueFailed } from './redeliveries.store.ts'
import { type ReplayUnderWay, takeReplay, updateProgress } from './replays.store.ts'

export interface ReplayPace {
  /** Events looked at in one transaction. */
  batch: number
  /** A replay pauses while so many events wait for its webhook, retries included: the rest stays where it is until then. */
  mostWaiting: number
}

/**
 * Goes on with one running replay by one batch, in the order in which the events were dispatched, and so in the order of each
 * quote; false where there is none to go on with now. What is queued and how far the replay has come are one transaction:
 * after a crash it goes on where it was, and nothing is queued twice.
 */
export async function advanceReplay({ db }: { db: Database }, { batch, mostWaiting }: ReplayPace): Promise<boolean> {
  return inQueueTransaction(db, 'many', async (tx) => {
    const replay = await takeReplay(tx, mostWaiting)
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
  await holdBackDispatchers(tx)
  return list()
}

/** Queues what failed and what was missed; at each quote the first is due, unless something of the quote is under way. */
async function queue(
  tx: Tx,
  { partnerId, webhookId }: ReplayUnderWay,
  events: readonly LoggedEvent[],
): Promise<{ redelivered: number; missed: number }> {
  const eventIds = events.map(({ eventId }) => eventId)
  const deliveries = await lockDeliveriesOfEvents(tx, partnerId, webhookId, eventIds)
  const byEvent = new Map(deliveries.map((delivery) => [delivery.eventId, delivery]))
  const wanted = events.filter(({ eventId }) => (byEvent.get(eventId)?.status ?? 'failed') === 'failed')
  if (wanted.length === 0) return { redelivered: 0, missed: 0 }

  await holdBackDispatchers(tx)
  await holdBackRecorders(tx)
  const quoteIds = [...new Set(wanted.flatMap(({ quoteId }) => quoteId ?? []))]
  const busy = new Set<string>(await listBusyQuotes(tx, partnerId, webhookId, quoteIds))
  const placed = wanted.map((event) => {
    const place = event.quoteId ?? event.eventId
    const isDue = !busy.has(place)
    busy.add(place)
    return { event, isDue, known: byEvent.get(event.eventId) }
  })
  const failed = placed.flatMap(({ known, isDue }) => (known === undefined ? [] : [{ ...known, isDue }]))
  const missed = placed.flatMap(({ event: { eventId }, known, isDue }) =>
    known === undefined ? [{ deliveryId: newId('delivery'), webhookId, eventId, isDue }] : [],
  )
  await requeueFailed(tx, partnerId, failed)
  const queuedCount = await insertMissed(tx, partnerId, missed)
  return { redelivered: failed.length, missed: queuedCount }
}

import { type Database, inQueueTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../kernel/ids.ts'
import { eventMessage } from './message.ts'
import {
  holdBackRecorders,
  insertDeliveries,
  listUndispatched,
  type NewDelivery,
  placeEvents,
  takeDispatch,
  type UndispatchedEvent,
} from './outbox.store.ts'

/**
 * Turns the oldest events of the outbox, at most `limit`, into one delivery for every webhook that wants them, and
 * returns how many events that were. 0 also where another worker is dispatching. Everything happens in one transaction:
 * after a crash, either the event waits in the outbox or its deliveries are all there.
 */
export async function dispatchEvents({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, async (tx) => {
    if (!(await takeDispatch(tx))) return 0
    const events = await listInOrder(tx, limit)
    if (events.length === 0) return 0
    const eventIds = [...new Set(events.map((event) => event.eventId))]
    await Promise.all([placeEvents(tx, eventIds), insertDeliveries(tx, deliveriesOf(events))])
    return eventIds.length
  })
}

/**
 * The oldest undispatched events. Where one has to queue behind a first attempt, that attempt must not end unseen before it is
 * queued: it is looked again with recorders held back. They go on beside everything else.
 */
async function listInOrder(tx: Tx, limit: number): Promise<UndispatchedEvent[]> {
  const events = await listUndispatched(tx, limit)
  if (!events.some(({ isBehind }) => isBehind)) return events
  await holdBackRecorders(tx)
  return listUndispatched(tx, limit)
}

/** One delivery for each webhook; only the first of a webhook's quote is due, and only if nothing earlier is under way. */
function deliveriesOf(events: readonly UndispatchedEvent[]): NewDelivery[] {
  const queued = new Set<string>()
  return events.flatMap((event) => {
    const { webhookId } = event
    if (webhookId === null) return []
    const queue = `${webhookId} ${event.quoteId}`
    const isDue = !event.isBehind && !queued.has(queue)
    queued.add(queue)
    const { eventId, eventNumber, partnerId, quoteId, type } = event
    const { body } = eventMessage(event)
    return [{ deliveryId: newId('delivery'), partnerId, webhookId, eventId, eventNumber, quoteId, type, body, isDue }]
  })
}

import { type Database, inQueueTransaction, type Tx } from '../../../db/database.ts'
import { newId } from '../../../kernel/ids.ts'
import { type LeasedDelivery, listSendingTerms } from './leases.store.ts'
import {
  holdBackRecorders,
  listUndispatched,
  placeEvents,
  takeDispatch,
  type UndispatchedEvent,
} from './outbox.store.ts'
import { type DispatchingWorker, type PlannedDelivery, planDispatch } from './plan-dispatch.ts'

export interface Dispatched {
  events: number
  /** In the hand of whoever dispatched, in the order of their events. */
  leased: LeasedDelivery[]
  /** The webhooks for which something was made that is due and in nobody's hand. */
  queuedFor: string[]
  /** There may be more to dispatch. */
  hasMore: boolean
  /** Some were left where they are; there will be room for them in a moment. */
  isHeldUp: boolean
}

/** So many events, of as many partners, are dispatched at most with plans that are kept. */
export const fewEvents = 100

/**
 * Turns the oldest events of the outbox, about `limit` and as many of each partner, into one delivery for every webhook that wants
 * them. Where they are to be few, other partners than those it comes to first may have more: `hasMore` says so. None also where
 * another worker is dispatching. Everything happens in one transaction: after a crash, either the event waits in the outbox or its
 * deliveries are all there, and those that were taken up are free again when their leases end.
 */
export async function dispatchEvents(
  { db }: { db: Database },
  limit: number,
  worker?: DispatchingWorker,
): Promise<Dispatched> {
  const isFew = limit <= fewEvents
  return inQueueTransaction(db, isFew ? 'few' : 'many', async (tx) => {
    const isOurs = await takeDispatch(tx)
    const listed = isOurs ? await listInOrder(tx, { limit, mostPartners: isFew ? limit : null }) : []
    const { deliveries, eventIds, isHeldUp, hasMore: hasMoreOfThese } = planDispatch(listed, worker)
    const hasOthers = isFew && new Set(listed.map(({ partnerId }) => partnerId)).size >= limit
    const more = { isHeldUp, hasMore: hasMoreOfThese || hasOthers }
    if (eventIds.length === 0) return { events: 0, leased: [], queuedFor: [], ...more }
    const leased = deliveries.filter(({ isLeased }) => isLeased)
    const lease = { leaseId: newId('claim'), leaseSeconds: worker?.leaseSeconds ?? 0 }
    const [terms] = await Promise.all([
      leased.length === 0 ? [] : listSendingTerms(tx, webhooksOf(leased)),
      placeEvents(tx, eventIds, deliveries, lease),
    ])
    const termsOf = new Map(terms.map((each) => [each.webhookId, each]))
    return {
      ...more,
      events: eventIds.length,
      leased: leased.flatMap(({ deliveryId, webhookId, eventId, type, body }) => {
        const sending = termsOf.get(webhookId)
        // A webhook that has gone meanwhile takes its deliveries with it.
        if (sending === undefined) return []
        return [{ deliveryId, leaseId: lease.leaseId, messageId: eventId, type, body, attemptCount: 0, ...sending }]
      }),
      queuedFor: webhooksOf(deliveries.filter(({ isDue, isLeased }) => isDue && !isLeased)).map(
        ({ webhookId }) => webhookId,
      ),
    }
  })
}

/**
 * The oldest undispatched events. Where one has to queue behind a first attempt, that attempt must not end unseen before it is
 * queued: it is looked again with recorders held back. They go on beside everything else.
 */
async function listInOrder(tx: Tx, most: Parameters<typeof listUndispatched>[1]): Promise<UndispatchedEvent[]> {
  const events = await listUndispatched(tx, most)
  if (!events.some(({ isBehind }) => isBehind)) return events
  await holdBackRecorders(tx)
  return listUndispatched(tx, most)
}

function webhooksOf(deliveries: readonly PlannedDelivery[]): { partnerId: string; webhookId: string }[] {
  return [...new Map(deliveries.map(({ partnerId, webhookId }) => [webhookId, { partnerId, webhookId }])).values()]
}

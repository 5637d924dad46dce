import { newId } from '../../../kernel/ids.ts'
import type { NewDelivery, UndispatchedEvent } from './outbox.store.ts'
import type { OwnRoom } from './slots.ts'
import { TakingUp, type Turn } from './taking-up.ts'

/** A worker that dispatches takes up what it has room for, so that no delivery is written once to be queued and again to be leased. */
export interface DispatchingWorker extends OwnRoom {
  /** Leaves events in the outbox that it will have room for in a moment: they would only be queued. */
  isPatient: boolean
}

/** A delivery to be made, with what sending it needs. */
export interface PlannedDelivery extends NewDelivery {
  partnerId: string
  type: string
  body: string
}

/** What becomes of the events that were listed. */
export interface DispatchPlan {
  /** In the order of their events. */
  deliveries: PlannedDelivery[]
  /** Of the events that are dispatched, in order. */
  eventIds: string[]
  /** Of some partner as many were listed as could be, and none was left: there may be more. */
  hasMore: boolean
  /** Some were left in the outbox. */
  isHeldUp: boolean
}

/**
 * One delivery of each event for each webhook; only the first of a webhook's quote is due, and only if nothing earlier is under way.
 * What is due the worker takes up as far as it has room.
 *
 * Where a partner may have more waiting than was listed, and its receiver will take more in a moment, the rest of that partner's
 * events are left in the outbox. Only where all of them are for one webhook: nobody waits for another's receiver.
 */
export function planDispatch(
  events: readonly UndispatchedEvent[],
  worker: DispatchingWorker | undefined,
): DispatchPlan {
  const takingUp = worker && new TakingUp(worker.room, worker.sending)
  const partners = summariesOf(events)
  const heldUp = new Set<string>()
  const queued = new Set<string>()
  const deliveries: PlannedDelivery[] = []
  const eventIds = new Set<string>()
  for (const event of events) {
    const { eventId, partnerId, webhookId } = event
    if (heldUp.has(partnerId)) continue
    if (webhookId !== null) {
      const queue = `${webhookId} ${event.quoteId ?? eventId}`
      const isDue = !event.isBehind && !queued.has(queue)
      const takesEvents = event.isVerified || worker?.requireVerification !== true
      const turn: Turn = takingUp && isDue ? takingUp.turnOf({ ...event, webhookId, takesEvents }) : 'later'
      if (turn === 'soon' && worker?.isPatient === true && partners.get(partnerId)?.mayWait === true) {
        heldUp.add(partnerId)
        continue
      }
      queued.add(queue)
      const { type, body } = event
      const deliveryId = newId('delivery')
      deliveries.push({ deliveryId, partnerId, webhookId, eventId, type, body, isDue, isLeased: turn === 'now' })
    }
    eventIds.add(eventId)
  }
  const hasMore = [...partners].some(([partnerId, { isFull }]) => isFull && !heldUp.has(partnerId))
  return { deliveries, eventIds: [...eventIds], hasMore, isHeldUp: heldUp.size > 0 }
}

/** Of each partner, whether as much of it was listed as could be, and whether it may wait for its one receiver. */
function summariesOf(events: readonly UndispatchedEvent[]): Map<string, { isFull: boolean; mayWait: boolean }> {
  const listed = new Map<string, { eventIds: Set<string>; webhookIds: Set<string>; share: number }>()
  for (const { partnerId, eventId, webhookId, share } of events) {
    const own = listed.get(partnerId) ?? { eventIds: new Set(), webhookIds: new Set(), share }
    listed.set(partnerId, own)
    own.eventIds.add(eventId)
    if (webhookId !== null) own.webhookIds.add(webhookId)
  }
  return new Map(
    [...listed].map(([partnerId, { eventIds, webhookIds, share }]) => {
      const isFull = eventIds.size >= share
      return [partnerId, { isFull, mayWait: isFull && webhookIds.size === 1 }]
    }),
  )
}

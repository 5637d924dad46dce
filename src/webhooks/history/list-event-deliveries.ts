import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { findEvent } from '../events/event-log.store.ts'
import { listDeliveriesOfEvent } from './delivery-log.store.ts'

/**
 * GET /Events/{id}/deliveries (not in the specification). An event's deliveries, one for each webhook that subscribed
 * to it, in the order of registration. Leaves out deleted webhooks. Returns none before the event is dispatched. Throws
 * `not_found`.
 */
export async function listEventDeliveries(
  { db }: { db: Database },
  caller: Caller,
  eventId: Id<'event'>,
): Promise<Delivery[]> {
  const [event, deliveries] = await Promise.all([
    findEvent(db, caller.partnerId, eventId),
    listDeliveriesOfEvent(db, caller.partnerId, eventId),
  ])
  if (event === undefined) throw notFound('event')
  return deliveries
}

import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { Caller } from '../../auth/caller.ts'
import { findEvent } from '../../event-log/event-log.store.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { listDeliveriesOfEvent } from './delivery-log.store.ts'

/**
 * GET /Events/{id}/deliveries (additive). What was and is to be sent of an event, one delivery for each webhook that wanted it, in the
 * order of their registration; without those of webhooks that were deleted; none where nobody wanted it, or the event has yet to be dispatched. Throws `not_found`.
 */
export async function listEventDeliveries(
  { db }: { db: Database },
  caller: Caller,
  eventId: string,
): Promise<Delivery[]> {
  const [event, deliveries] = await Promise.all([
    findEvent(db, caller.partnerId, eventId),
    listDeliveriesOfEvent(db, caller.partnerId, eventId),
  ])
  if (event === undefined) throw notFound('event')
  return deliveries
}

import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Delivery, DeliveryFilter, DeliveryPosition, DeliveryWithAttempts } from '../delivery/delivery.ts'
import { completeBody } from '../delivery/delivery-body.store.ts'
import { findWebhook } from '../endpoints/webhooks.store.ts'
import { findEvent } from '../event-log/event-log.store.ts'
import { findDelivery, listDeliveriesOfEvent, listDeliveries as selectDeliveries } from './delivery-log.store.ts'

/**
 * GET /Deliveries/{id} (not in the specification). A delivery with what each attempt sent and received. Throws
 * `not_found`.
 */
export async function getDelivery(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  deliveryId: Id<'delivery'>,
): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(db, caller.partnerId, deliveryId)
  if (delivery === undefined) throw notFound('delivery')
  return { ...delivery, body: completeBody(cipher, delivery) }
}

/**
 * GET /Webhooks/{id}/deliveries (not in the specification). A page of a webhook's deliveries, newest first and
 * including pending ones, and where the next page starts, if there is one. Throws `not_found`.
 */
export async function listDeliveries(
  { db }: { db: Database },
  caller: Caller,
  webhookId: Id<'webhook'>,
  { after, limit, ...filter }: DeliveryFilter & { after: DeliveryPosition | undefined; limit: number },
): Promise<{ deliveries: Delivery[]; next: DeliveryPosition | null }> {
  // The webhook is checked first, because a search for another partner's deliveries would read all of them and find
  // none.
  if ((await findWebhook(db, caller.partnerId, webhookId)) === undefined) throw notFound('webhook')
  const found = await selectDeliveries(db, caller.partnerId, webhookId, filter, { after, limit: limit + 1 })
  const page = found.slice(0, limit)
  const hasMore = found.length > page.length
  return { deliveries: page.map(({ delivery }) => delivery), next: hasMore ? (page.at(-1)?.position ?? null) : null }
}

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

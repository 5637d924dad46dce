import type { Database } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import { listReferenceCarriers, updateDeliveryReference, updateEventReference } from './erasure.store.ts'

/**
 * Takes the reference of a quote whose persons are gone out of its events and messages. Row by row, each a transaction of its
 * own: the worker locks several of them at a time, in an order of its own.
 */
export async function removeReference(db: Database, partnerId: Id<'partner'>, quoteId: Id<'quote'>): Promise<void> {
  const { eventIds, deliveryIds } = await listReferenceCarriers(db, partnerId, quoteId)
  for (const eventId of eventIds) await updateEventReference(db, partnerId, eventId)
  for (const deliveryId of deliveryIds) await updateDeliveryReference(db, partnerId, deliveryId)
}

import type { Database } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import { clearEventReference, listEventsWithReference } from './erasure.store.ts'

/**
 * Removes the reference of a quote from its events once everyone on the quote has been erased. Messages built from these events
 * later lack it too. Updates one event per transaction: the worker locks several events at a time, in a different order, so longer
 * transactions could deadlock with it.
 */
export async function removeReference(db: Database, partnerId: Id<'partner'>, quoteId: Id<'quote'>): Promise<void> {
  for (const eventId of await listEventsWithReference(db, partnerId, quoteId))
    await clearEventReference(db, partnerId, eventId)
}

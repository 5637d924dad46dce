import type { Database } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import { clearEventReference, listEventsWithReference } from './erasure.store.ts'

/**
 * Removes the reference of a fully erased quote from its events, and thereby from the messages that are built from them. Updates
 * one event per transaction, because the worker locks several at a time in a different order.
 */
export async function removeReference(db: Database, partnerId: Id<'partner'>, quoteId: Id<'quote'>): Promise<void> {
  for (const eventId of await listEventsWithReference(db, partnerId, quoteId))
    await clearEventReference(db, partnerId, eventId)
}

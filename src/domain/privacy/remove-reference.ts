import type { Database } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import { listReferenceCarriers, updateEventReference } from './erasure.store.ts'

/**
 * Takes the reference of a quote whose persons are gone out of its events, and so out of their messages, which are made of them. Row by
 * row, each a transaction of its own: the worker locks several of them at a time, in an order of its own.
 */
export async function removeReference(db: Database, partnerId: Id<'partner'>, quoteId: Id<'quote'>): Promise<void> {
  for (const eventId of await listReferenceCarriers(db, partnerId, quoteId))
    await updateEventReference(db, partnerId, eventId)
}

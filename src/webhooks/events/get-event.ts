import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findEvent } from './event-log.store.ts'
import { completeEvent, type LoggedEvent } from './logged-event.ts'

/** GET /Events/{id} (not in the specification). Throws `not_found`. */
export async function getEvent(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  eventId: Id<'event'>,
): Promise<Omit<LoggedEvent, 'position'>> {
  const event = await findEvent(db, caller.partnerId, eventId)
  if (event === undefined) throw notFound('event')
  return completeEvent(cipher, event)
}

import type { Database } from '../../db/database.ts'
import { notFound } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
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

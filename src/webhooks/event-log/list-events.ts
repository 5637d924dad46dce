import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { type DomainError, invalidFields, notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { keptDays } from '../history/kept-payloads.ts'
import {
  findEvent,
  findLastPosition,
  findLastRemovedPosition,
  findPosition,
  listEvents as selectEvents,
} from './event-log.store.ts'
import {
  completeEvent,
  type EventCursor,
  type EventFilter,
  type EventOrder,
  type EventPosition,
  type LoggedEvent,
} from './logged-event.ts'

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

type Page = { cursor: EventCursor | undefined; limit: number }

/**
 * GET /Events (not in the specification). Lists a page of the partner's events. If the order is newest first, the page
 * has a cursor only if there are more events. If it is oldest first, the page always has a cursor, from which a later
 * call can continue. An event is listed once it has been dispatched, which takes about a second, and it always comes
 * after the events that were already listed. A partner that follows the cursors therefore misses no event. Throws
 * `validation_failed` if events after the cursor were removed, or if the partner has no such event.
 */
export async function listEvents(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { partnerId }: Caller,
  { cursor, order, limit, ...filter }: EventFilter & Page & { order: EventOrder },
): Promise<{ events: LoggedEvent[]; next: EventCursor | null }> {
  // Read the last event first. The events read afterwards then include everything up to it.
  const [head, from] = await Promise.all([
    order === 'oldest' ? findLastPosition(db, partnerId) : undefined,
    cursor?.after ? requirePosition(db, partnerId, cursor.after) : undefined,
  ])
  const found = await selectEvents(db, partnerId, filter, { order, past: from?.position, limit: limit + 1 })
  if (order === 'oldest' && cursor !== undefined) await throwIfRemoved(db, partnerId, from)

  const events = found.slice(0, limit).map((event) => completeEvent(cipher, event))
  const last = events.at(-1)
  if (found.length > events.length && last !== undefined) return { events, next: { order, after: last.eventId } }
  if (order === 'newest') return { events, next: null }
  // Also move the cursor past events that the filter excludes, so that it does not expire while no event matches.
  return { events, next: { order, after: furthest(head, last, from) } }
}

async function requirePosition(db: Database, partnerId: Id<'partner'>, eventId: Id<'event'>): Promise<EventPosition> {
  const position = await findPosition(db, partnerId, eventId)
  if (position === undefined) throw eventsRemoved()
  return position
}

/**
 * Throws if any events after this position have been removed. Call this after reading the events: events that are
 * removed during the read may be missing from the result.
 */
async function throwIfRemoved(db: Database, partnerId: Id<'partner'>, from: EventPosition | undefined): Promise<void> {
  const removed = await findLastRemovedPosition(db, partnerId)
  if (removed !== undefined && BigInt(removed.position) > BigInt(from?.position ?? 0)) throw eventsRemoved()
}

function eventsRemoved(): DomainError {
  const detail = `Events are kept for ${keptDays} days, and some events after this cursor have been deleted. Start again without a cursor, and get the current state of your quotes.`
  return invalidFields([{ pointer: '/query/cursor', code: 'out_of_range', detail }])
}

function furthest(...positions: (EventPosition | undefined)[]): Id<'event'> | null {
  let furthest: EventPosition | undefined
  for (const position of positions)
    if (position !== undefined && BigInt(position.position) > BigInt(furthest?.position ?? 0)) furthest = position
  return furthest?.eventId ?? null
}

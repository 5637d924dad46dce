import type { Database } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { keptDays } from '../webhooks/history/kept-payloads.ts'
import { readHighestPosition, readHighestRemovedPosition, listEvents as selectEvents } from './event-log.store.ts'
import { completeEvent, type EventCursor, type EventFilter, type EventOrder, type LoggedEvent } from './logged-event.ts'

type Page = { cursor: EventCursor | undefined; limit: number }

/**
 * GET /Events (not in the specification). Lists a page of the partner's events. If the order is newest first, the page has a cursor
 * only if there are more events. If it is oldest first, the page always has a cursor, from which a later call can continue. An
 * event is listed once it has been dispatched, which takes about a second, and it always comes after the events that were already
 * listed. A partner that follows the cursors therefore misses no event. Throws `validation_failed` if events after the
 * cursor were removed.
 */
export async function listEvents(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { partnerId }: Caller,
  { cursor, order, limit, ...filter }: EventFilter & Page & { order: EventOrder },
): Promise<{ events: LoggedEvent[]; next: EventCursor | null }> {
  // Read the highest position first. The events read afterwards then include everything up to it.
  const head = order === 'oldest' ? await readHighestPosition(db, partnerId) : '0'
  const found = await selectEvents(db, partnerId, filter, { order, past: cursor?.position, limit: limit + 1 })
  if (order === 'oldest' && cursor !== undefined) await throwIfRemoved(db, partnerId, cursor)

  const events = found.slice(0, limit).map((event) => completeEvent(cipher, event))
  const last = events.at(-1)
  if (found.length > events.length && last !== undefined) return { events, next: { order, position: last.position } }
  if (order === 'newest') return { events, next: null }
  // Also move the cursor past events that the filter excludes, so that it does not expire while no event matches.
  return { events, next: { order, position: furthest(head, last?.position, cursor?.position) } }
}

/**
 * Throws if any events after the cursor have been removed. Call this after reading the events: events that are removed during the read
 * may be missing from the result.
 */
async function throwIfRemoved(db: Database, partnerId: Id<'partner'>, { position }: EventCursor): Promise<void> {
  if (BigInt(position) >= BigInt(await readHighestRemovedPosition(db, partnerId))) return
  const detail = `Events are kept for ${keptDays} days, and some events after this cursor have been deleted. Start again without a cursor, and get the current state of your quotes.`
  throw new DomainError('validation_failed', detail, {
    fields: [{ pointer: '/query/cursor', code: 'out_of_range', detail }],
  })
}

function furthest(...positions: (string | undefined)[]): string {
  return positions
    .map((position) => BigInt(position ?? 0))
    .reduce((one, other) => (one > other ? one : other))
    .toString()
}

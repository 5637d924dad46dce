import type { Database } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Caller } from '../auth/caller.ts'
import { keptDays } from '../webhooks/history/kept-payloads.ts'
import { readHighestPosition, readHighestRemovedPosition, listEvents as selectEvents } from './event-log.store.ts'
import type { EventCursor, EventFilter, EventOrder, LoggedEvent } from './logged-event.ts'

type Page = { cursor: EventCursor | undefined; limit: number }

/**
 * GET /Events (additive). A page of the partner's events: newest first, with a cursor if there are more; or oldest first, always
 * with a cursor, from which a later call continues. An event is listed as soon as it is dispatched, which takes about a second, and
 * always after every event listed before. A partner that follows the cursors therefore misses no event. Throws `validation_failed`
 * if events after the cursor were removed.
 */
export async function listEvents(
  { db }: { db: Database },
  { partnerId }: Caller,
  { cursor, order, limit, ...filter }: EventFilter & Page & { order: EventOrder },
): Promise<{ events: LoggedEvent[]; next: EventCursor | null }> {
  // The head is read first, so that the events read afterwards include everything up to it.
  const head = order === 'oldest' ? await readHighestPosition(db, partnerId) : '0'
  const found = await selectEvents(db, partnerId, filter, { order, past: cursor?.position, limit: limit + 1 })
  if (order === 'oldest' && cursor !== undefined) await throwIfRemoved(db, partnerId, cursor)

  const events = found.slice(0, limit)
  const last = events.at(-1)
  if (found.length > events.length && last !== undefined) return { events, next: { order, position: last.position } }
  if (order === 'newest') return { events, next: null }
  // Also move past events that the filter excludes, so that the cursor does not expire while no event matches.
  return { events, next: { order, position: furthest(head, last?.position, cursor?.position) } }
}

/** Call this after the events have been read: events removed in the meantime may be missing from them. */
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

import type { Queryable } from '../../platform/db/database.ts'
import { type DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import { type FeedName, findFeedState } from './feed-rows.store.ts'

/**
 * A place in a feed. Cursors of another epoch are no longer accepted: the database was restored since, or they are of
 * another feed.
 */
export interface FeedPlace {
  epoch: string
  position: string
}

/** Which entries of a feed to read: those after a place and, if `until` is given, up to that position. */
export interface FeedRequest {
  after: FeedPlace | undefined
  until?: string | undefined
  limit: number
}

/**
 * Where a page begins, and where the feed ends now. Throws `feed_reset` for a place from before a restore or from
 * another feed.
 */
export async function startOfPage(
  operator: Queryable,
  feed: FeedName,
  after: FeedPlace | undefined,
): Promise<{ epoch: string; lastPosition: string; position: string }> {
  const { epoch, lastPosition } = await findFeedState(operator, feed)
  const position = after?.position ?? '0'
  if (after !== undefined && (after.epoch !== epoch || BigInt(position) > BigInt(lastPosition))) throw feedReset()
  return { epoch, lastPosition, position }
}

/** The ids of what is on a page, each once, by partner: as the audit log records them. */
export function namesByPartner<Row extends { partnerId: string }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): Record<string, string[]> {
  const byPartner = Map.groupBy(rows, ({ partnerId }) => partnerId)
  return Object.fromEntries([...byPartner].map(([partnerId, own]) => [partnerId, [...new Set(own.map(nameOf))]]))
}

function feedReset(): DomainError {
  const detail =
    'The database was restored after this cursor was issued, so contracts may have changed without an entry; or the cursor is of another feed. Read the feed again from the start: leave out `after`, and skip the versions that you have.'
  return invalidFields([{ pointer: '/query/after', code: 'not_allowed', detail }], 'feed_reset')
}

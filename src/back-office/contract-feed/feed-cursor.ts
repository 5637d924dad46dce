import { type FeedName, findFeedState } from '../../contracts/operator-feeds/feed-positions.store.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { type DomainError, invalidFields } from '../../platform/kernel/errors.ts'

/**
 * A position in a feed. Cursors of another epoch are no longer accepted: the database was restored since, or they are
 * of another feed.
 */
export interface FeedCursor {
  epoch: string
  position: string
}

/** Which entries of a feed to read: those after a cursor and, if `until` is given, up to that position. */
export interface FeedRequest {
  after: FeedCursor | undefined
  until?: string | undefined
  limit: number
}

/** What a cursor of a feed contains, before it is encoded. */
const pattern = /^([0-9a-f]{12})\.([0-9]{1,18})$/

/** The opaque text of a cursor. */
export function encodeFeedCursor({ epoch, position }: FeedCursor): string {
  return Buffer.from(`${epoch}.${position}`).toString('base64url')
}

/** What a cursor says; undefined if the text is none. */
export function decodeFeedCursor(cursor: string): FeedCursor | undefined {
  const [, epoch, position] = pattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  return epoch === undefined || position === undefined ? undefined : { epoch, position }
}

/**
 * Where a page begins, and where the feed ends now. Throws `feed_reset` for a cursor from before a restore or from
 * another feed.
 */
export async function startOfPage(
  system: Queryable,
  feed: FeedName,
  after: FeedCursor | undefined,
): Promise<{ epoch: string; lastPosition: string; position: string }> {
  const { epoch, lastPosition } = await findFeedState(system, feed)
  const position = after?.position ?? '0'
  if (after !== undefined && (after.epoch !== epoch || BigInt(position) > BigInt(lastPosition))) throw feedReset()
  return { epoch, lastPosition, position }
}

function feedReset(): DomainError {
  const detail =
    'The database was restored after this cursor was issued, so contracts may have changed without an entry; or the cursor is of another feed. Read the feed again from the start: leave out `after`, and skip the versions that you have.'
  return invalidFields([{ pointer: '/query/after', code: 'not_allowed', detail }], 'feed_reset')
}

import type { FeedPlace } from './feed-place.ts'

/** What a cursor of a feed contains, before it is encoded. */
const pattern = /^([0-9a-f]{12})\.([0-9]{1,18})$/

/** The opaque cursor of a place in the feed. */
export function feedCursor({ epoch, position }: FeedPlace): string {
  return Buffer.from(`${epoch}.${position}`).toString('base64url')
}

/** The place of a cursor; undefined if the text is none. */
export function placeOfCursor(cursor: string): FeedPlace | undefined {
  const [, epoch, position] = pattern.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  return epoch === undefined || position === undefined ? undefined : { epoch, position }
}

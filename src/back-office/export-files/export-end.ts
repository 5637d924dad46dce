import { findPositionAhead } from '../../contracts/operator-feeds/feed-positions.store.ts'
import { assignPsrPositions } from '../../contracts/operator-feeds/psr-entries.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { encodeFeedCursor, type FeedCursor, startOfPage } from '../contract-feed/feed-cursor.ts'
import { assignContractPositions } from '../contract-feed/read-contract-feed.ts'
import type { ExportKind } from './export-page.ts'

/**
 * Fixes where a file ends, so that the cursor of the next file is known before the first line: at most `count` entries
 * of the feed ahead. Undefined for payments, which have no feed. Throws `feed_reset` for a cursor from before a
 * restore.
 */
export async function endOfExport(
  { db }: { db: Database },
  kind: ExportKind,
  { after, count }: { after: FeedCursor | undefined; count: number | undefined },
): Promise<{ until: string; cursor: string } | undefined> {
  if (kind === 'payments') return undefined
  const feed = kind === 'register' ? 'psr' : 'contracts'
  await inTransaction<unknown>(db, {}, { contracts: assignContractPositions, psr: assignPsrPositions }[feed])
  return inTransaction(db, {}, async (tx) => {
    const { epoch, lastPosition, position } = await startOfPage(tx, feed, after)
    const ahead = count === undefined ? undefined : await findPositionAhead(tx, feed, { after: position, count })
    const until = ahead ?? lastPosition
    return { until, cursor: encodeFeedCursor({ epoch, position: until }) }
  })
}

import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { assignContractPositions } from './assign-positions.ts'
import { type ContractRecord, recordOf } from './contract-record.ts'
import { type FeedCursor, type FeedRequest, namesByPartner, startOfPage } from './feed-cursor.ts'
import { type FeedRow, type FeedSelection, listFeedRows, recordOperatorRead } from './feed-rows.store.ts'

/** An entry of the feed: that a contract changed, and the contract as it is now. */
interface FeedEntry extends Pick<FeedRow, 'contractNumber' | 'change' | 'recordedAt'> {
  version: number
  record: ContractRecord
}

/** A page of a feed. `next` is never null: a later call continues there. */
export interface FeedPage<Entry = FeedEntry> {
  entries: Entry[]
  next: FeedCursor
  hasMore: boolean
  /** The last position of the whole feed at the moment of the call. */
  lastPosition: string
}

/**
 * GET /operator-api/Contracts and `housebill contracts export`. Reads entries in the order of their positions, which
 * only increase: nothing ever appears before a position that was returned. Writes one audit entry for each partner on
 * the page, in the same transaction. Throws `feed_reset` for a cursor from before a restore.
 */
export async function readContractFeed(
  { db, system, cipher }: { db: Database; system: Database; cipher: FieldCipher },
  { after, until, limit, selection }: FeedRequest & { selection?: FeedSelection },
): Promise<FeedPage> {
  await inTransaction(system, {}, assignContractPositions)
  return inTransaction(db, {}, async (tx) => {
    const { epoch, lastPosition, position } = await startOfPage(tx, 'contracts', after)
    const found = await listFeedRows(tx, { after: position, until, limit: limit + 1, ...(selection && { selection }) })
    const rows = found.slice(0, limit)
    if (rows.length > 0)
      await recordOperatorRead(
        tx,
        'contract',
        namesByPartner(rows, ({ contractNumber }) => contractNumber),
      )
    const entries = rows.map((row) => {
      const { contractNumber, entryVersion: version, change, recordedAt } = row
      return { contractNumber, version, change, recordedAt, record: recordOf(cipher, row) }
    })
    return {
      entries,
      next: { epoch, position: rows.at(-1)?.position ?? position },
      hasMore: found.length > limit,
      lastPosition,
    }
  })
}

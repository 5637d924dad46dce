import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { type ContractRecord, recordOf } from './contract-record.ts'
import { placeContractVersions } from './contract-versions.store.ts'
import { type FeedRow, type FeedSelection, findFeedState, listFeedRows, recordOperatorRead } from './feed-rows.store.ts'

/** A place in the feed. Cursors of another epoch are no longer accepted: the database was restored since. */
export interface FeedPlace {
  epoch: string
  position: string
}

/** An entry of the feed: that a contract changed, and the contract as it is now. */
export interface FeedEntry extends Pick<FeedRow, 'contractNumber' | 'change' | 'recordedAt'> {
  version: number
  record: ContractRecord
}

/** A page of the feed. `next` is never null: a later call continues there. */
export interface FeedPage {
  entries: FeedEntry[]
  next: FeedPlace
  hasMore: boolean
  /** The last position of the whole feed at the moment of the call. */
  lastPosition: string
}

/**
 * GET /operator-api/Contracts and `housebill contracts export`. Reads entries in the order of their positions, which only increase: nothing ever appears before a place that was
 * returned. Writes one audit entry for each partner on the page, in the same transaction. Throws `feed_reset` for a place from before a
 * restore.
 */
export async function readContractFeed(
  { db, system, cipher }: { db: Database; system: Database; cipher: FieldCipher },
  { after, limit, selection }: { after: FeedPlace | undefined; limit: number; selection?: FeedSelection },
): Promise<FeedPage> {
  await inTransaction(system, {}, placeContractVersions)
  return inTransaction(db, {}, async (tx) => {
    const { epoch, lastPosition } = await findFeedState(tx)
    const position = after?.position ?? '0'
    if (after !== undefined && (after.epoch !== epoch || BigInt(position) > BigInt(lastPosition))) throw feedReset()
    const found = await listFeedRows(tx, { after: position, limit: limit + 1, ...(selection && { selection }) })
    const rows = found.slice(0, limit)
    if (rows.length > 0) await recordOperatorRead(tx, 'contract', numbersByPartner(rows))
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

function numbersByPartner(rows: readonly FeedRow[]): Record<string, string[]> {
  const numbers: Record<string, string[]> = {}
  for (const { partnerId, contractNumber } of rows) {
    const own = numbers[partnerId] ?? []
    if (!own.includes(contractNumber)) own.push(contractNumber)
    numbers[partnerId] = own
  }
  return numbers
}

function feedReset(): DomainError {
  return new DomainError(
    'feed_reset',
    'The database was restored after this cursor was issued, so contracts may have changed without an entry. Read the feed again from the start: leave out `after`, and skip the versions that you have.',
    {
      fields: [{ pointer: '/query/after', code: 'not_allowed', detail: 'Leave it out to read from the start.' }],
    },
  )
}

import {
  assignPositions,
  findFeedState,
  lockLastPosition,
  type PositionedVersion,
} from '../../contracts/operator-feeds/feed-positions.store.ts'
import { operatorAccountId } from '../../partners/operators/operator-scopes.ts'
import { recordOperatorRead } from '../../platform/audit/audit-log.store.ts'
import { type Database, inQueueTransaction, inTransaction, type Tx } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { newId } from '../../platform/kernel/ids.ts'
import { listOperatorWebhookIds } from '../../webhooks/endpoints/webhook-directory.store.ts'
import type { Message } from '../../webhooks/messages/message.ts'
import { insertMessages } from '../../webhooks/messages/messages.store.ts'
import { type ContractRecord, recordOf } from './contract-record.ts'
import { encodeFeedCursor, type FeedCursor, type FeedRequest, startOfPage } from './feed-cursor.ts'
import { type FeedFilter, type FeedRow, listFeedRows } from './feed-rows.store.ts'

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
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { after, until, limit, ...filter }: FeedRequest & FeedFilter,
): Promise<FeedPage> {
  await inTransaction(db, {}, assignContractPositions)
  return inQueueTransaction(db, async (tx) => {
    const { epoch, lastPosition, position } = await startOfPage(tx, 'contracts', after)
    const found = await listFeedRows(tx, { after: position, until, limit: limit + 1, ...filter })
    const rows = found.slice(0, limit)
    await recordOperatorRead(tx, 'contract', rows, ({ contractNumber }) => contractNumber)
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

/**
 * Gives positions to new versions of contracts, and in the same transaction queues a message about each for every
 * active webhook of the operator. Returns whether there may be more.
 */
export async function assignContractPositions(tx: Tx): Promise<boolean> {
  const [lastPosition, webhookIds] = await Promise.all([lockLastPosition(tx), listOperatorWebhookIds(tx)])
  if (lastPosition === undefined) return false
  const { positioned, hasMore } = await assignPositions(tx, lastPosition, webhookIds.length > 0)
  if (positioned.length === 0) return false
  const { epoch } = await findFeedState(tx, 'contracts')
  const messages = positioned.map((version) => versionMessage(version, epoch))
  await insertMessages(tx, operatorAccountId, webhookIds, messages)
  return hasMore
}

/**
 * Tells the operator's webhooks of new versions of contracts. Without such a webhook, versions wait for the next reader
 * of the feed. Returns whether there may be more.
 */
export async function announceContractVersions({ db }: { db: Database }): Promise<boolean> {
  return (await listOperatorWebhookIds(db)).length > 0 && inQueueTransaction(db, assignContractPositions)
}

/** The type of the messages to the operator's webhooks. */
export const versionMessageType = 'contract.version.recorded'

/**
 * Says that a contract has a version. `position` is the cursor that continues the feed after it. Nothing in it is about
 * a person.
 */
function versionMessage({ contractNumber, version, position, recordedAt }: PositionedVersion, epoch: string): Message {
  const messageId = newId('event')
  const data = { contractNumber, version, position: encodeFeedCursor({ epoch, position }) }
  const body = JSON.stringify({ id: messageId, type: versionMessageType, timestamp: recordedAt.toISOString(), data })
  return { messageId, type: versionMessageType, body }
}

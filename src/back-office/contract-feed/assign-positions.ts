import { operatorAccountId } from '../../partners/operators/operator-account.ts'
import { type Database, inQueueTransaction, type Tx } from '../../platform/db/database.ts'
import { insertMessages } from '../../webhooks/messages/messages.store.ts'
import { hasOperatorWebhook } from '../../webhooks/operator/operator-webhooks.store.ts'
import { assignPositions } from './assign-positions.store.ts'
import { findFeedState } from './feed-rows.store.ts'
import { versionMessage } from './version-message.ts'

/**
 * Gives positions to new versions of contracts, and in the same transaction queues a message about each for every
 * active webhook of the operator. Returns whether there may be more.
 */
export async function assignContractPositions(tx: Tx): Promise<boolean> {
  const { positioned, webhookIds, hasMore } = await assignPositions(tx)
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
  return (await hasOperatorWebhook(db)) && inQueueTransaction(db, assignContractPositions)
}

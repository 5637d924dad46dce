import { operatorAccountId } from '../../partners/operators/operator-account.ts'
import type { Tx } from '../../platform/db/database.ts'
import { insertMessages } from '../../webhooks/messages/messages.store.ts'
import { placeVersions } from './contract-versions.store.ts'
import { findFeedState } from './feed-rows.store.ts'
import { versionMessage } from './version-message.ts'

/**
 * Gives positions to new versions of contracts, and in the same transaction queues a message about each for every
 * active webhook of the operator. Returns whether there may be more.
 */
export async function placeContractVersions(tx: Tx): Promise<boolean> {
  const { placed, webhookIds, hasMore } = await placeVersions(tx)
  if (placed.length === 0) return false
  const { epoch } = await findFeedState(tx, 'contracts')
  const messages = placed.map((version) => versionMessage(version, epoch))
  await insertMessages(tx, operatorAccountId, webhookIds, messages)
  return hasMore
}

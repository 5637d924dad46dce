import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import { hasOperatorWebhook } from '../../webhooks/operator/operator-webhooks.store.ts'
import { placeContractVersions } from './place-contract-versions.ts'

/**
 * Tells the operator's webhooks of new versions of contracts. Without such a webhook, versions wait for the next reader
 * of the feed. Returns whether there may be more.
 */
export async function announceContractVersions({ db }: { db: Database }): Promise<boolean> {
  return (await hasOperatorWebhook(db)) && inQueueTransaction(db, placeContractVersions)
}

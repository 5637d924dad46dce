import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { removeSecrets } from '../secrets/secrets.store.ts'
import { markWebhookDeleted } from './webhooks.store.ts'

/**
 * DELETE /Webhooks/{id} (not in the specification). Deletes a webhook immediately, however many deliveries are pending:
 * nothing more is sent to it, no call returns it, its secret is removed, and another webhook can take its place.
 * `purge-deleted-webhooks.ts` removes its rows in batches. Throws `not_found`, even if the same webhook is deleted
 * again.
 */
export async function deleteWebhook(
  { db }: { db: Database },
  caller: Caller,
  webhookId: Id<'webhook'>,
): Promise<{ webhookId: Id<'webhook'> }> {
  return inTransaction(db, caller, async (tx) => {
    if (!(await markWebhookDeleted(tx, caller.partnerId, webhookId))) throw notFound('webhook')
    await removeSecrets(tx, caller.partnerId, webhookId)
    return { webhookId }
  })
}

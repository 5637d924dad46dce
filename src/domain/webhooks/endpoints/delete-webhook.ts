import { type Database, inTransaction } from '../../../db/database.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { Caller } from '../../auth/caller.ts'
import { endSecrets } from '../secrets/secrets.store.ts'
import { markDeleted } from './webhooks.store.ts'

/**
 * DELETE /Webhooks/{id} (additive). Ends a webhook at once, however much waits for it: nothing is sent to it any more, no
 * call shows it, its secret is removed, and another can be registered in its place. What is left of it is removed in batches
 * by `purge-deleted-webhooks.ts`. Throws `not_found`, the second time too.
 */
export async function deleteWebhook(
  { db }: { db: Database },
  caller: Caller,
  webhookId: string,
): Promise<{ webhookId: string }> {
  return inTransaction(db, caller, async (tx) => {
    if (!(await markDeleted(tx, caller.partnerId, webhookId))) throw notFound('webhook')
    await endSecrets(tx, caller.partnerId, webhookId)
    return { webhookId }
  })
}

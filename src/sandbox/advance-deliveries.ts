import type { Caller } from '../partners/caller.ts'
import { insertAuditEntry } from '../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { notFound } from '../platform/kernel/errors.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { moveDeliveriesForward } from '../webhooks/delivery/queue.store.ts'
import type { Webhook } from '../webhooks/endpoints/subscription.ts'
import { lockWebhook } from '../webhooks/endpoints/webhooks.store.ts'

/** How far a call moves deliveries at most: more than the whole retry schedule takes. */
export const maxDeliverySeconds = 10 * 86_400

/**
 * POST /Sandbox/webhooks/{id}/advance: makes the webhook's retries due `seconds` earlier, and its failures as much
 * older, as if every attempt in that time had failed. Throws `not_found`.
 */
export async function advanceDeliveries(
  { db }: { db: Database },
  caller: Caller,
  { webhookId, seconds }: { webhookId: Id<'webhook'>; seconds: number },
): Promise<Webhook> {
  return inTransaction(db, caller, async (tx) => {
    if ((await lockWebhook(tx, caller.partnerId, webhookId)) === undefined) throw notFound('webhook')
    await moveDeliveriesForward(tx, caller.partnerId, webhookId, seconds)
    const subject = { subjectType: 'webhook', subjectId: webhookId, quoteId: null, customerId: null }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    const webhook = await lockWebhook(tx, caller.partnerId, webhookId)
    if (webhook === undefined) throw notFound('webhook')
    return webhook
  })
}

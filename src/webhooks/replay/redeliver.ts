import type { Caller } from '../../partners/caller.ts'
import { insertAuditEntry } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { lockRegistrations, lockWebhook } from '../endpoints/webhooks.store.ts'
import { findDelivery } from '../history/delivery-log.store.ts'
import { requireEnabled } from '../messages/message.ts'
import { requireAllowance } from '../messages/unproven-receiver.ts'
import { requeueDelivery } from './replays.store.ts'

/**
 * POST /Deliveries/{id}/redeliver (not in the specification). Sends a message again, even one that was delivered, to
 * the webhook's current URL, under the same id and with the whole retry schedule. A pending retry becomes due now. A
 * message that is being sent is sent again if that attempt fails. A message that waits for an earlier event of its
 * quote keeps waiting, because it will be sent within seconds. Throws `not_found` and `webhook_disabled`, and
 * `rate_limited` for a message about a webhook that is not verified.
 */
export async function redeliver(
  { db }: { db: Database },
  caller: Caller,
  deliveryId: Id<'delivery'>,
): Promise<Delivery> {
  return inTransaction(db, caller, async (tx) => {
    const before = await findDelivery(tx, caller.partnerId, deliveryId)
    if (before === undefined) throw notFound('delivery')
    if (!before.isEvent) await lockRegistrations(tx, caller.partnerId)
    const webhook = await lockWebhook(tx, caller.partnerId, before.webhookId)
    if (webhook === undefined) throw notFound('delivery')
    requireEnabled(webhook)
    if (!before.isEvent) await requireAllowance(tx, caller.partnerId, webhook, before.type)
    await requeueDelivery(tx, caller.partnerId, deliveryId)
    const subject = { subjectType: 'delivery', subjectId: deliveryId, quoteId: before.quoteId, customerId: null }
    await insertAuditEntry(tx, caller.partnerId, { ...subject, action: 'asked', fields: [] })
    const after = await findDelivery(tx, caller.partnerId, deliveryId)
    if (after === undefined) throw notFound('delivery')
    return after
  })
}

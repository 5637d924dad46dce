import type { Tx } from '../../../db/database.ts'
import { empty, sql } from '../../../db/sql.ts'
import type { Id } from '../../../kernel/ids.ts'
import { verificationType } from '../messages/message.ts'
import { giveUpDeliveries, isNotLeased } from './queue.store.ts'

/*
 * What happens to deliveries when their webhook is disabled, deleted or given a new URL. Rows that another transaction has locked
 * are skipped, because transactions that record attempts lock several rows in a different order.
 */

/**
 * Gives up pending deliveries of disabled webhooks: at most `limit`, or all of them if it is null. If `only` is given, leaves the
 * deliveries of all other webhooks alone. Skips deliveries that are being sent. Returns how many it gave up.
 */
export function giveUpDeliveriesOfDisabledWebhooks(
  tx: Tx,
  limit: number | null,
  only?: { partnerId: Id<'partner'>; webhookId: Id<'webhook'> },
): Promise<number> {
  const ofOne =
    only === undefined ? empty : sql`and w.partner_id = ${only.partnerId} and w.webhook_id = ${only.webhookId}`
  const which = sql`
    select waiting.delivery_id from webhooks w cross join lateral (
      select d.delivery_id from delivery_queue d
      where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and ${isNotLeased}
      limit ${limit} for update skip locked
    ) waiting
    where w.status = 'disabled' and w.deleted_at is null ${ofOne}
    limit ${limit}`
  return giveUpDeliveries(tx, which, 'webhook_disabled')
}

/** Gives up the webhook's challenges, even one that is being sent: the outcome of that attempt will not be recorded. */
export async function endChallenges(tx: Tx, partnerId: Id<'partner'>, webhookId: Id<'webhook'>): Promise<void> {
  const which = sql`
    select delivery_id from delivery_queue
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and is_event = false and event_type = ${verificationType}`
  await giveUpDeliveries(tx, which, 'challenge_replaced')
}

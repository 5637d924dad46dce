import type { Tx } from '../../../db/database.ts'
import { empty, sql } from '../../../db/sql.ts'
import type { Id } from '../../../kernel/ids.ts'
import { verificationType } from '../messages/message.ts'
import { giveUp, isFree } from './queue.store.ts'

/*
 * What happens to deliveries when their webhook is disabled, deleted or given another URL. Rows that another transaction has locked
 * are skipped, because transactions that record attempts lock several rows in a different order.
 */

/**
 * Gives up pending deliveries of all disabled webhooks or, if given, of `only` one. Skips deliveries that are being sent. Returns
 * how many it gave up.
 */
export function giveUpDisabled(
  tx: Tx,
  limit: number | null,
  only?: { partnerId: Id<'partner'>; webhookId: Id<'webhook'> },
): Promise<number> {
  const ofOne =
    only === undefined ? empty : sql`and w.partner_id = ${only.partnerId} and w.webhook_id = ${only.webhookId}`
  const which = sql`
    select waiting.delivery_id from webhooks w cross join lateral (
      select d.delivery_id from delivery_queue d
      where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and ${isFree}
      limit ${limit} for update skip locked
    ) waiting
    where w.status = 'disabled' and w.deleted_at is null ${ofOne}
    limit ${limit}`
  return giveUp(tx, which, 'webhook_disabled')
}

/** Ends the webhook's challenges, even one that is being sent, whose outcome will not be recorded. */
export async function endChallenges(tx: Tx, partnerId: Id<'partner'>, webhookId: Id<'webhook'>): Promise<void> {
  const which = sql`
    select delivery_id from delivery_queue
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and is_event = false and event_type = ${verificationType}`
  await giveUp(tx, which, 'challenge_replaced')
}

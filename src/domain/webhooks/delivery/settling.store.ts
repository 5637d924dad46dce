import type { Tx } from '../../../db/database.ts'
import { empty, sql } from '../../../db/sql.ts'
import { verificationType } from '../messages/message.ts'
import { giveUp, isFree } from './queue.store.ts'

/*
 * What becomes of deliveries when their webhook is disabled, pointed elsewhere or deleted. Rows another transaction works on are passed
 * over: recorders lock several of them in an order of their own.
 */

/**
 * Gives up what waits for disabled webhooks, or for this one if it is disabled, at most `limit` deliveries or all of them; returns how many. What a
 * worker is sending at the moment is left to it.
 */
export function giveUpDisabled(
  tx: Tx,
  limit: number | null,
  only?: { partnerId: string; webhookId: string },
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

/** Ends the webhook's challenges, also one that is being sent now: its outcome will not be recorded. */
export async function endChallenges(tx: Tx, partnerId: string, webhookId: string): Promise<void> {
  const which = sql`
    select delivery_id from delivery_queue
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and is_event = false and event_type = ${verificationType}`
  await giveUp(tx, which, 'challenge_replaced')
}

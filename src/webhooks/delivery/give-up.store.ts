import type { Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hostOfWebhook } from '../sender/webhook-target.ts'
import type { GivenUpReason } from './delivery.ts'
import { isNotLeased, sharedDeliveryColumns } from './queue.store.ts'
import { verificationType } from './response-outcome.ts'

/*
 * What happens to deliveries when their webhook is disabled, deleted or given a new URL. Rows that another transaction
 * has locked are skipped, because transactions that record attempts lock several rows in a different order.
 */

/**
 * Gives up pending deliveries of disabled webhooks: at most `limit`, or all of them if it is null. If `only` is given,
 * leaves the deliveries of all other webhooks alone. Skips deliveries that are being sent. Returns how many it gave up.
 * The worker gives them up after the webhook was disabled, because there may be a million of them; they are not sent in
 * the meantime.
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

/**
 * Gives up the webhook's challenges. The outcome of one that is being sent will not be recorded, so its attempt is,
 * with the host of the webhook's `url`: what was sent to a host is counted.
 */
export async function endChallenges(
  tx: Tx,
  partnerId: Id<'partner'>,
  { webhookId, url }: { webhookId: Id<'webhook'>; url: string },
): Promise<void> {
  await tx.query(sql`
    with ended as (
      delete from delivery_queue d
       where partner_id = ${partnerId} and webhook_id = ${webhookId} and is_event = false
         and event_type = ${verificationType}
      returning d.*, not ${isNotLeased} as is_being_sent
    )
    insert into delivery_history (${sharedDeliveryColumns}, status, given_up_because)
    select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body,
           created_at,
      attempt_count + is_being_sent::integer,
      case when is_being_sent then attempts || json_build_object(
        'attemptNumber', attempt_count + 1, 'host', ${hostOfWebhook(url)}::text,
        'startedAt', to_char(statement_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'durationMs', 0, 'requestHeaders', json_build_object(), 'responseStatus', null, 'responseBody', null,
        'error', 'A newer challenge replaced this one while it was being sent, so its outcome was not recorded.')
      else attempts end, 'failed', 'challenge_replaced'
      from ended`)
}

/**
 * Moves queued deliveries to the history as failed, because they will not be sent any more. `which` selects their ids.
 * Returns how many it moved.
 */
async function giveUpDeliveries(tx: Tx, which: Sql, reason: GivenUpReason): Promise<number> {
  const rows = await tx.query(sql`
    with ended as (delete from delivery_queue where delivery_id in (${which}) returning *)
    insert into delivery_history (${sharedDeliveryColumns}, status, given_up_because)
    select ${sharedDeliveryColumns}, 'failed', ${reason} from ended
    returning delivery_id`)
  return rows.length
}

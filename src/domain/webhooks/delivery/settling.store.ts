import type { Tx } from '../../../db/database.ts'
import { empty, type Sql, sql } from '../../../db/sql.ts'
import { verificationType } from '../messages/message.ts'

/*
 * What becomes of deliveries when their webhook is disabled, pointed elsewhere or deleted. Rows another transaction works
 * on are passed over: recorders lock several of them in an order of their own.
 */

/**
 * Fails what still waits for disabled webhooks, at most `limit` deliveries; returns how many. What a worker is sending
 * at the moment is left to it.
 */
export async function failWaitingForDisabled(tx: Tx, limit: number): Promise<number> {
  return failWaiting(tx, empty, limit)
}

/** The same for one webhook, if it is disabled; all that waits where no limit is given. */
export async function failWaitingFor(tx: Tx, partnerId: string, webhookId: string, limit?: number): Promise<number> {
  return failWaiting(tx, sql`and w.partner_id = ${partnerId} and w.webhook_id = ${webhookId}`, limit ?? null)
}

async function failWaiting(tx: Tx, ofWebhooks: Sql, limit: number | null): Promise<number> {
  const rows = await tx.query(sql`
    update deliveries set status = 'failed', in_order = false, next_attempt_at = null, lease_id = null,
      leased_until = null, finished_at = clock_timestamp(), given_up_because = 'webhook_disabled'
    where delivery_id in (
      select d.delivery_id
      from webhooks w join deliveries d on d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
      where w.status = 'disabled' and w.deleted_at is null and d.status = 'pending'
        and (d.leased_until is null or d.leased_until <= statement_timestamp()) ${ofWebhooks}
      limit ${limit} for update of d skip locked
    )
    returning delivery_id`)
  return rows.length
}

/** Gives the first waiting delivery of each of the webhook's quotes its due time, where nothing else will. */
export async function releaseHeads(tx: Tx, partnerId: string, webhookId: string): Promise<void> {
  await tx.query(sql`
    update deliveries set next_attempt_at = clock_timestamp()
    where delivery_id in (
      select delivery_id from (
        select distinct on (d.quote_id) d.delivery_id, d.next_attempt_at from deliveries d
        where d.partner_id = ${partnerId} and d.webhook_id = ${webhookId} and d.quote_id is not null
          and d.status = 'pending' and d.in_order
        order by d.quote_id, d.event_number
      ) head
      where head.next_attempt_at is null
    )`)
}

/** Ends the webhook's challenges, also one that is being sent now: its outcome is recorded no more. */
export async function endChallenges(tx: Tx, partnerId: string, webhookId: string): Promise<void> {
  await tx.query(sql`
    update deliveries set status = 'failed', in_order = false, next_attempt_at = null, lease_id = null,
      leased_until = null, finished_at = clock_timestamp(), given_up_because = 'challenge_replaced'
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and is_event = false and status = 'pending'
      and event_type = ${verificationType}`)
}

/** Removes deliveries of deleted webhooks with their attempts, at most `limit`; returns how many. */
export async function deleteOfDeleted(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from deliveries where delivery_id in (
      select own.delivery_id
      from webhooks w cross join lateral (
        select d.delivery_id from deliveries d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id
        limit ${limit} for update skip locked
      ) own
      where w.deleted_at is not null
      limit ${limit}
    )
    returning delivery_id`)
  return rows.length
}

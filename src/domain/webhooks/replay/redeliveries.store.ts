import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'

/**
 * Begins a new round of attempts. One that has ended, or waits for a retry, is due now. One that has its place in the order of
 * its quote keeps it, and one that is being sent goes on: its new round begins if that attempt fails.
 */
export async function requeueDelivery(tx: Tx, partnerId: string, deliveryId: string): Promise<void> {
  await tx.query(sql`
    update deliveries d
    set status = 'pending', finished_at = null, given_up_because = null,
      round_start = d.attempt_count + case when d.leased_until > clock_timestamp() then 1 else 0 end,
      in_order = d.in_order and d.status = 'pending',
      next_attempt_at = case
        when d.status = 'pending' and (d.in_order or d.lease_id is not null) then d.next_attempt_at
        else clock_timestamp()
      end
    where d.partner_id = ${partnerId} and d.delivery_id = ${deliveryId}`)
}

/** An event that a replay has come to, as the webhook has it. */
export interface EventDelivery {
  eventId: string
  deliveryId: string
  status: DeliveryStatus
}

/**
 * The webhook's deliveries of these events. Those that failed stay as they are until the transaction ends: one that is being
 * redelivered at this moment is told as pending.
 */
export async function lockDeliveriesOfEvents(
  tx: Tx,
  partnerId: string,
  webhookId: string,
  eventIds: readonly string[],
): Promise<EventDelivery[]> {
  const deliveries = await tx.query<EventDelivery>(sql`
    select event_id as "eventId", delivery_id as "deliveryId", status from deliveries
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and event_id = any(${eventIds}::text[])`)
  const failed = deliveries.filter(({ status }) => status === 'failed').map(({ deliveryId }) => deliveryId)
  if (failed.length === 0) return deliveries
  const locked = await tx.query<{ deliveryId: string }>(sql`
    select delivery_id as "deliveryId" from deliveries
    where partner_id = ${partnerId} and delivery_id = any(${failed}::text[]) and status = 'failed'
    order by delivery_id for update`)
  const stillFailed = new Set(locked.map(({ deliveryId }) => deliveryId))
  return deliveries.map((delivery) =>
    delivery.status === 'failed' && !stillFailed.has(delivery.deliveryId)
      ? { ...delivery, status: 'pending' }
      : delivery,
  )
}

/** Of these quotes, those that have a delivery whose place in the order is yet to come. Recorders are held back. */
export async function listBusyQuotes(
  tx: Tx,
  partnerId: string,
  webhookId: string,
  quoteIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ quoteId: string }>(sql`
    select wanted.quote_id as "quoteId" from unnest(${quoteIds}::text[]) wanted (quote_id)
    where (
      select d.delivery_id from deliveries d
      where d.partner_id = ${partnerId} and d.webhook_id = ${webhookId} and d.quote_id = wanted.quote_id
        and d.status = 'pending' and d.in_order
      order by d.event_number limit 1
    ) is not null`)
  return rows.map(({ quoteId }) => quoteId)
}

/** Begins new rounds for deliveries that failed, each at its place in the order of its quote. */
export async function requeueFailed(
  tx: Tx,
  partnerId: string,
  failed: readonly { deliveryId: string; isDue: boolean }[],
): Promise<void> {
  await tx.query(sql`
    update deliveries d
    set status = 'pending', finished_at = null, given_up_because = null, round_start = d.attempt_count, in_order = true,
      next_attempt_at = case when g.is_due then clock_timestamp() end
    from unnest(${failed.map(({ deliveryId }) => deliveryId)}::text[], ${failed.map(({ isDue }) => isDue)}::boolean[])
      as g (delivery_id, is_due)
    where d.partner_id = ${partnerId} and d.delivery_id = g.delivery_id and d.status = 'failed'`)
}

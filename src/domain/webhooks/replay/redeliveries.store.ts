import type { Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'
import { eventDelivery, eventDeliveryColumns } from '../delivery/dispatch.store.ts'
import { lastingColumns } from '../delivery/queue.store.ts'

/**
 * Begins a new round of attempts. A delivery that has ended returns to the queue, and one that waits for a retry is due now. One that has its
 * place in the order of its quote keeps it, and one that is being sent goes on: its new round begins if that attempt fails.
 */
export async function requeueDelivery(tx: Tx, partnerId: string, deliveryId: string): Promise<void> {
  const pending = await tx.query(sql`
    update delivery_queue
    set restart = leased_until is not null and leased_until > clock_timestamp(), round_attempts = 0,
      next_attempt_at = case when in_order or leased_until > clock_timestamp() then next_attempt_at else clock_timestamp() end
    where partner_id = ${partnerId} and delivery_id = ${deliveryId}
    returning delivery_id`)
  if (pending.length === 0) await requeue(tx, partnerId, sql`delivery_id = ${deliveryId}`, false)
  tx.wakeAfterCommit('deliveries')
}

/**
 * Returns those of these deliveries to the queue that failed, each at its place in the order of its quote; returns how many. One that
 * is redelivered at this moment is left out.
 */
export function requeueFailed(tx: Tx, partnerId: string, deliveryIds: readonly string[]): Promise<number> {
  return requeue(tx, partnerId, sql`delivery_id = any(${deliveryIds}::text[]) and status = 'failed'`, true)
}

async function requeue(tx: Tx, partnerId: string, which: Sql, inOrder: boolean): Promise<number> {
  const rows = await tx.query(sql`
    with taken as (delete from delivery_history where partner_id = ${partnerId} and ${which} returning *)
    insert into delivery_queue (${lastingColumns}, in_order)
    select ${lastingColumns}, ${inOrder}::boolean and quote_id is not null from taken order by event_number
    returning delivery_id`)
  return rows.length
}

/** An event that a replay has come to, as the webhook has it. */
export interface EventDelivery {
  eventId: string
  deliveryId: string
  status: DeliveryStatus
}

/** The webhook's deliveries of these events. */
export function listDeliveriesOfEvents(
  tx: Tx,
  partnerId: string,
  webhookId: string,
  eventIds: readonly string[],
): Promise<EventDelivery[]> {
  return tx.query<EventDelivery>(sql`
    select event_id as "eventId", delivery_id as "deliveryId", status from deliveries
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and event_id = any(${eventIds}::text[])`)
}

/**
 * Queues events that were dispatched without this webhook, and returns how many: not one that was removed meanwhile. They count as made when
 * their events happened, so that none is kept longer than others.
 */
export async function queueMissed(
  tx: Tx,
  partnerId: string,
  webhookId: string,
  eventIds: readonly string[],
): Promise<number> {
  const queued = await tx.query(sql`
    insert into delivery_queue (${eventDeliveryColumns}, created_at)
    select ${eventDelivery}, e.occurred_at
    from events e join webhooks w on w.webhook_id = ${webhookId} and w.partner_id = e.partner_id
    where e.partner_id = ${partnerId} and e.event_id = any(${eventIds}::text[])
    order by e.event_number
    returning delivery_id`)
  return queued.length
}

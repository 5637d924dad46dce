import type { Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'
import { eventDeliveryColumns, eventDeliveryValues } from '../delivery/dispatch.store.ts'
import { sharedDeliveryColumns } from '../delivery/queue.store.ts'

/**
 * Starts a new round of attempts. An ended delivery returns to the queue, and a pending retry becomes due now. A
 * delivery that waits for an earlier event of its quote continues to wait. A delivery that is being sent starts the new
 * round only if that attempt fails.
 */
export async function requeueDelivery(tx: Tx, partnerId: Id<'partner'>, deliveryId: Id<'delivery'>): Promise<void> {
  const pending = await tx.query(sql`
    update delivery_queue
    set restart = leased_until is not null and leased_until > clock_timestamp(), round_attempts = 0,
      next_attempt_at = case when in_order or leased_until > clock_timestamp() then next_attempt_at
      else clock_timestamp() end
    where partner_id = ${partnerId} and delivery_id = ${deliveryId}
    returning delivery_id`)
  if (pending.length === 0) await requeue(tx, partnerId, sql`delivery_id = ${deliveryId}`, false)
  tx.wakeAfterCommit('deliveries')
}

/**
 * Puts the failed deliveries among these back into the queue, so that the events of each quote are again sent in order.
 * Returns how many it put back. Skips deliveries that are being redelivered at this moment.
 */
export function requeueFailedDeliveries(
  tx: Tx,
  partnerId: Id<'partner'>,
  deliveryIds: readonly Id<'delivery'>[],
): Promise<number> {
  return requeue(tx, partnerId, sql`delivery_id = any(${deliveryIds}::text[]) and status = 'failed'`, true)
}

async function requeue(tx: Tx, partnerId: Id<'partner'>, which: Sql, inOrder: boolean): Promise<number> {
  const rows = await tx.query(sql`
    with taken as (delete from delivery_history where partner_id = ${partnerId} and ${which} returning *)
    insert into delivery_queue (${sharedDeliveryColumns}, in_order)
    select ${sharedDeliveryColumns}, ${inOrder}::boolean and quote_id is not null from taken order by event_number
    returning delivery_id`)
  return rows.length
}

/** An event that a replay has reached, and its delivery to the webhook, if any. */
export interface EventDelivery {
  eventId: Id<'event'>
  deliveryId: Id<'delivery'>
  status: DeliveryStatus
}

/** The webhook's deliveries of these events. */
export function listDeliveriesOfEvents(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  eventIds: readonly string[],
): Promise<EventDelivery[]> {
  return tx.query<EventDelivery>(sql`
    select event_id as "eventId", delivery_id as "deliveryId", status from deliveries
    where partner_id = ${partnerId} and webhook_id = ${webhookId} and event_id = any(${eventIds}::text[])`)
}

/**
 * Queues these events, which were dispatched without a delivery to this webhook. Returns how many it queued. Skips
 * events that have since been removed. Each delivery gets the time of its event, so that it is not kept longer than
 * other deliveries.
 */
export async function queueMissedEvents(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  eventIds: readonly string[],
): Promise<number> {
  const queued = await tx.query(sql`
    insert into delivery_queue (${eventDeliveryColumns}, created_at)
    select ${eventDeliveryValues}, e.occurred_at
    from events e join webhooks w on w.webhook_id = ${webhookId} and w.partner_id = e.partner_id
    where e.partner_id = ${partnerId} and e.event_id = any(${eventIds}::text[])
    order by e.event_number
    returning delivery_id`)
  return queued.length
}

import type { EventType } from '../../events/event.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { DeliveryStatus } from '../delivery/delivery.ts'
import { eventDeliveryColumns, eventDeliveryValues } from '../delivery/dispatch.store.ts'
import { sharedDeliveryColumns } from '../delivery/queue.store.ts'
import type { WebhookStatus } from '../endpoints/subscription.ts'
import type { Replay, ReplayRange } from './replay.ts'

const replayColumns = sql`
  r.replay_id as "replayId", r.webhook_id as "webhookId", r.status, r.since, r.until,
  r.redelivered_count as "redelivered",
  r.missed_count as "missed", r.created_at as "createdAt", r.finished_at as "finishedAt"`

/**
 * Blocks other replay requests of the partner until the transaction ends. Returns the database's time, because all
 * times stored for webhooks come from the database's clock.
 */
export async function lockReplaysAndGetTime(tx: Tx, partnerId: Id<'partner'>): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>(
    sql`select clock_timestamp() as now from partners where partner_id = ${partnerId} for no key update`,
  )
  if (row === undefined) throw new Error('the caller is not a partner')
  return row.now
}

/** The webhook's running replay with its range, locked until the transaction ends. */
export async function lockRunningReplay(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
): Promise<{ replay: Replay; isOpen: boolean } | undefined> {
  const [row] = await tx.query<Replay & { isOpen: boolean }>(sql`
    select ${replayColumns}, r.is_open as "isOpen" from replays r
    where r.partner_id = ${partnerId} and r.webhook_id = ${webhookId} and r.status = 'running' for update`)
  if (row === undefined) return undefined
  const { isOpen, ...replay } = row
  return { replay, isOpen }
}

export async function insertReplay(
  tx: Tx,
  partnerId: Id<'partner'>,
  replay: { replayId: Id<'replay'>; webhookId: Id<'webhook'>; range: ReplayRange },
): Promise<Replay> {
  const { since, until, isOpen } = replay.range
  const [row] = await tx.query<Replay>(sql`
    insert into replays as r (replay_id, partner_id, webhook_id, since, until, is_open, status)
    values (${replay.replayId}, ${partnerId}, ${replay.webhookId}, ${since}, ${until}, ${isOpen}, 'running')
    returning ${replayColumns}`)
  if (row === undefined) throw new Error('insert of a replay returned no row')
  return row
}

/**
 * Changes the range of a running replay and restarts it. Deliveries that it has already queued are not queued again.
 */
export async function widenReplay(
  tx: Tx,
  partnerId: Id<'partner'>,
  replayId: Id<'replay'>,
  range: ReplayRange,
): Promise<Replay> {
  const [row] = await tx.query<Replay>(sql`
    update replays r set since = ${range.since}, until = ${range.until}, is_open = ${range.isOpen}, position = 0
    where r.partner_id = ${partnerId} and r.replay_id = ${replayId}
    returning ${replayColumns}`)
  if (row === undefined) throw new Error('a locked replay no longer exists')
  return row
}

/** Undefined if there is no such replay or its webhook was deleted. */
export async function findReplay(
  db: Queryable,
  partnerId: Id<'partner'>,
  replayId: Id<'replay'>,
): Promise<Replay | undefined> {
  const [row] = await db.query<Replay>(sql`
    select ${replayColumns} from replays r join webhooks w on w.webhook_id = r.webhook_id
        and w.partner_id = r.partner_id
    where r.partner_id = ${partnerId} and r.replay_id = ${replayId} and w.deleted_at is null`)
  return row
}

/**
 * Removes the webhook's replays that ended more than 30 days ago. The payloads that they sent are no longer kept
 * either.
 */
export async function deleteOldReplays(tx: Tx, partnerId: Id<'partner'>, webhookId: Id<'webhook'>): Promise<void> {
  await tx.query(sql`
    delete from replays where partner_id = ${partnerId} and webhook_id = ${webhookId}
      and finished_at < clock_timestamp() - interval '30 days'`)
}

/** Removes up to `limit` replays of deleted webhooks and returns how many. Skips replays that a worker is advancing. */
export async function deleteReplaysOfDeletedWebhooks(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from replays where replay_id in (
      select r.replay_id from replays r join webhooks w on w.webhook_id = r.webhook_id and w.partner_id = r.partner_id
      where w.deleted_at is not null
      limit ${limit} for update of r skip locked
    )
    returning replay_id`)
  return rows.length
}

/** A replay that a worker is advancing. */
export interface RunningReplay {
  replayId: Id<'replay'>
  partnerId: Id<'partner'>
  webhookId: Id<'webhook'>
  webhookStatus: WebhookStatus
  /** The event types that the webhook subscribes to now. */
  types: EventType[]
  /**
   * The start of the replay's time range, or the creation of the webhook if that is later. A string, because it has
   * microseconds.
   */
  from: string
  until: Date
  position: string
}

/**
 * Locks the running replay that has waited longest since its last batch. Skips replays that another worker is
 * advancing, and those whose webhook has `maxWaiting` pending events or more. Returns undefined if no replay is left.
 */
export async function lockNextReplay(tx: Tx, maxWaiting: number): Promise<RunningReplay | undefined> {
  const [row] = await tx.query<RunningReplay>(sql`
    select r.replay_id as "replayId", r.partner_id as "partnerId", r.webhook_id as "webhookId",
           w.status as "webhookStatus",
      w.events as "types", greatest(r.since, w.created_at)::text as "from", r.until, r.position
    from replays r join webhooks w on w.webhook_id = r.webhook_id and w.partner_id = r.partner_id
    where r.status = 'running' and (w.status <> 'active' or (
      select count(*) from (
        select from delivery_queue d
        where d.webhook_id = r.webhook_id and d.partner_id = r.partner_id and d.is_event
        limit ${maxWaiting}
      ) waiting) < ${maxWaiting})
    order by r.worked_at nulls first limit 1 for update of r skip locked`)
  return row
}

interface ReplayProgress {
  /** The position of the last event processed. */
  position: string
  redelivered: number
  missed: number
  status: Replay['status']
}

export async function updateProgress(tx: Tx, replay: RunningReplay, progress: ReplayProgress): Promise<void> {
  await tx.query(sql`
    update replays set position = ${progress.position}, redelivered_count = redelivered_count + ${progress.redelivered},
      missed_count = missed_count + ${progress.missed}, status = ${progress.status}, worked_at = clock_timestamp(),
      finished_at = case when ${progress.status} <> 'running' then clock_timestamp() end
    where partner_id = ${replay.partnerId} and replay_id = ${replay.replayId}`)
}

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
interface EventDelivery {
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

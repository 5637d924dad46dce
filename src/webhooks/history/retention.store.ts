import { deletingEvents } from '../../events/outbox.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, sql } from '../../platform/db/sql.ts'
import { keptDays } from './kept-payloads.ts'

/**
 * Midnight UTC 30 days ago. Rows older than this are removed, whole days at a time. Uses the statement's time because
 * an index scan cannot stop at a time that changes during the statement.
 */
const cutOff = sql`(date_trunc('day', (statement_timestamp() - make_interval(days => ${keptDays})) at time zone 'UTC') at time zone 'UTC')`

/**
 * Whether `d`, a delivery of an event to webhook `w`, has been due since before the cut-off. Used only if `w` is not
 * verified.
 */
const isHeld = sql`
  d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.is_event and d.next_attempt_at < ${cutOff}`

/**
 * Creates the history's partitions for the coming days, and drops those that contain only old rows. Returns how many
 * days it dropped.
 */
export async function maintainPartitions(db: Queryable): Promise<number> {
  const [row] = await db.query<{ dropped: number }>(sql`select maintain_delivery_history(${cutOff}) as dropped`)
  return row?.dropped ?? 0
}

/**
 * Deletes up to `limit` of the old deliveries that are not removed by dropping a partition, and returns how many it
 * deleted.
 */
export async function deleteOldDeliveries(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from delivery_history where (delivery_id, created_at) in (
      select delivery_id, created_at from delivery_history where created_at < ${cutOff} limit ${limit}
    )
    returning delivery_id`)
  return rows.length
}

/**
 * Deletes deliveries that have waited for verification since before the cut-off, at most `limit`; returns how many.
 * Each delivery is checked again when it is deleted, and kept if it can now be sent.
 */
export async function deleteDeliveriesAwaitingVerification(tx: Tx, limit: number): Promise<number> {
  const rows = await tx.query(sql`
    delete from delivery_queue where delivery_id in (
      select due.delivery_id from webhooks w cross join lateral (
        select d.delivery_id from delivery_queue d where ${isHeld} order by d.next_attempt_at limit ${limit}
      ) due
      where w.status = 'active' and w.verification <> 'verified'
      limit ${limit}
    )
    and next_attempt_at < ${cutOff} and (leased_until is null or leased_until <= statement_timestamp())
    returning delivery_id`)
  return rows.length
}

/** The events of one partner and type. An index has them in the order in which they happened. */
interface EventSeries {
  partnerId: string
  type: string
}

/** A position in a series, in PostgreSQL's spelling. */
export interface SeriesPosition {
  occurredAt: string
  position: string
}

/**
 * The series that begin with an old event. Jumps from one series to the next in the index, so it reads a few rows of
 * each.
 */
export function listOldEventSeries(db: Queryable): Promise<EventSeries[]> {
  return db.query<EventSeries>(sql`
    with recursive series as (
      (select partner_id, type, occurred_at from events where position is not null
       order by partner_id, type, occurred_at limit 1)
      union all
      select next.* from series cross join lateral (
        select e.partner_id, e.type, e.occurred_at from events e
         where e.position is not null and (e.partner_id, e.type) > (series.partner_id, series.type)
         order by e.partner_id, e.type, e.occurred_at limit 1) next)
    select partner_id as "partnerId", type from series where occurred_at < ${cutOff}`)
}

/**
 * Deletes the old events among the next `limit` of a series, except those that still have a delivery. Looks for the
 * deliveries of all of them at once, because each look passes through every partition of the history. Returns how many
 * it looked at and deleted, and where to go on.
 */
export async function deleteOldEvents(
  db: Queryable,
  { partnerId, type }: EventSeries,
  { after, limit }: { after: SeriesPosition | undefined; limit: number },
): Promise<{ seen: number; deleted: number; last: SeriesPosition | undefined }> {
  const [row] = await db.query<{ seen: number; deleted: number } & SeriesPosition>(sql`
    with old as materialized (
      select event_id, occurred_at, position from events
       where partner_id = ${partnerId} and type = ${type} and position is not null and occurred_at < ${cutOff}
         ${
           after === undefined
             ? empty
             : sql`and (occurred_at, position)
                       > (${after.occurredAt}::timestamptz, ${after.position}::bigint)`
         }
       order by occurred_at, position limit ${limit} for update skip locked
    ), kept as materialized (
      select event_id from delivery_queue where event_id = any(array(select event_id from old))
        and partner_id = ${partnerId}
      union select event_id from delivery_history where event_id = any(array(select event_id from old))
        and partner_id = ${partnerId}
    ), deleted as (${deletingEvents(partnerId)})
    select (select count(*)::integer from old) as seen, (select count(*)::integer from deleted) as deleted,
           occurred_at::text as "occurredAt", position::text as position
      from old order by old.occurred_at desc, old.position desc limit 1`)
  return { seen: row?.seen ?? 0, deleted: row?.deleted ?? 0, last: row }
}

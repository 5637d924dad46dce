import type { Queryable, Tx } from '../../../db/database.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { keptDays } from './kept-payloads.ts'

/**
 * Midnight UTC of the day 30 days ago: what is older goes, whole days at a time. Of the statement and not of the clock, which changes as it
 * goes: an index scan cannot end at it.
 */
const cutOff = sql`(date_trunc('day', (statement_timestamp() - make_interval(days => ${keptDays})) at time zone 'UTC') at time zone 'UTC')`

/** Due since before the cut-off, and not sent, because its webhook is not verified. */
const isHeld = sql`
  d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.is_event and d.next_attempt_at < ${cutOff}`

/** Old events of any partner that were dispatched, `e`, found by the index that lists a partner's by time. */
const oldEvents = (columns: Sql, more: Sql) => sql`
  partners p cross join lateral (
    select ${columns} from events e
    where e.partner_id = p.partner_id and e.position is not null and e.occurred_at < ${cutOff} ${more}
  ) old`

/** Makes the history's partitions of the next days, and drops those that are old altogether, with all that is in them. */
export async function maintainPartitions(db: Queryable): Promise<void> {
  await db.query(sql`select maintain_delivery_history(${cutOff})`)
}

/** Deliveries that have ended and are old. */
export async function countOldDeliveries(db: Queryable): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(partner_id)::integer as count from delivery_history where created_at < ${cutOff}`,
  )
  return row?.count ?? 0
}

/** Deletes ended deliveries that no partition took along when it was dropped, at most `limit`; returns how many. */
export async function deleteOldDeliveries(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from delivery_history where (delivery_id, created_at) in (
      select delivery_id, created_at from delivery_history where created_at < ${cutOff} limit ${limit}
    )
    returning delivery_id`)
  return rows.length
}

/**
 * Deletes what has waited for a verification since before the cut-off, at most `limit`, and returns how many. One that has just become
 * sendable is checked again as it is deleted, and kept.
 */
export async function deleteHeldDeliveries(tx: Tx, limit: number): Promise<number> {
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

/**
 * Deletes dispatched events of which no delivery is left, at most `limit`, and returns how many. Each is looked up on its own (the `limit 1`
 * sees to that): as a join the planner reads all deliveries and sorts all events for every batch.
 */
export async function deleteOldEvents(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from events where event_id in (
      select old.event_id from ${oldEvents(
        sql`e.event_id`,
        sql`
          and (select d.event_id from deliveries d where d.event_id = e.event_id and d.partner_id = e.partner_id limit 1) is null
          order by e.type, e.occurred_at limit ${limit} for update skip locked`,
      )}
      limit ${limit}
    )
    returning event_id`)
  return rows.length
}

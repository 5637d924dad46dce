import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { keptDays } from './kept-payloads.ts'

/**
 * Midnight UTC 30 days ago. Rows older than this are removed, whole days at a time. Uses the statement's time because
 * an index scan cannot stop at a time that changes during the statement.
 */
export const cutOff = sql`(date_trunc('day', (statement_timestamp() - make_interval(days => ${keptDays})) at time zone 'UTC') at time zone 'UTC')`

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

import type { Queryable, Tx } from '../../../db/database.ts'
import { empty, type Sql, sql } from '../../../db/sql.ts'
import { deliveryStatuses } from '../delivery/delivery.ts'
import { keptDays } from './kept-payloads.ts'

/** Older than this goes. A moment of the statement and not of the clock, which changes as it goes: an index scan cannot end at it. */
const cutOff = sql`statement_timestamp() - make_interval(days => ${keptDays})`

/** Due for 30 days, and not sent, because its webhook is not verified. */
const isHeld = sql`
  d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.status = 'pending' and d.is_event
    and d.next_attempt_at < ${cutOff}`

/**
 * Old events of any partner that were dispatched, `e`, found by the index that lists a partner's by time (PostgreSQL skips from type to
 * type): a few look-ups more for the sweep, and an index less for every event to be written into.
 */
const oldEvents = (columns: Sql, more: Sql) => sql`
  partners p cross join lateral (
    select ${columns} from events e
    where e.partner_id = p.partner_id and e.position is not null and e.occurred_at < ${cutOff} ${more}
  ) old`

const ended = deliveryStatuses.filter((status) => status !== 'pending')

export interface EndedDeletion {
  deleted: number
  /** Whether the other two deletions may find something. */
  hasHeld: boolean
  hasOldEvents: boolean
}

/**
 * Deletes deliveries that have ended, with their attempts, at most `limit`, found by the index that lists them as
 * events are. One that is being replayed at the moment is left for the next time.
 */
export async function deleteEndedDeliveries(
  db: Queryable,
  { limit, requireVerification }: { limit: number; requireVerification: boolean },
): Promise<EndedDeletion> {
  const [row] = await db.query<EndedDeletion>(sql`
    with old as (
      select own.delivery_id, own.partner_id
      from webhooks w cross join unnest(${ended}::text[]) ended (status)
      cross join lateral (
        select d.delivery_id, d.partner_id from deliveries d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.status = ended.status and d.created_at < ${cutOff}
        order by d.event_type, d.created_at desc limit ${limit} for update skip locked
      ) own
      limit ${limit}
    ),
    deleted as (
      delete from deliveries d using old where d.delivery_id = old.delivery_id and d.partner_id = old.partner_id returning 1
    )
    select (select count(*)::integer from deleted) as "deleted",
      ${requireVerification}::boolean and exists (
        select from webhooks w cross join lateral (select from deliveries d where ${isHeld} limit 1) held
        where w.status = 'active' and w.verification <> 'verified'
      ) as "hasHeld",
      exists (select from ${oldEvents(empty, sql`order by e.type, e.occurred_at limit 1`)}) as "hasOldEvents"`)
  if (row === undefined) throw new Error('a select without from gave no row')
  return row
}

/**
 * Deletes what has waited for a verification for 30 days, of at most `limit` quotes, and what stands behind it in its quote and is
 * as old. Returns whose turn ended, once for each delivery. One that has just become sendable is looked at again as it
 * is deleted, and kept.
 */
export async function deleteHeldDeliveries(tx: Tx, limit: number): Promise<{ webhookId: string; quoteId: string }[]> {
  return tx.query(sql`
    with held as (
      select due.delivery_id, due.partner_id, due.webhook_id, due.quote_id
      from webhooks w cross join lateral (
        select d.delivery_id, d.partner_id, d.webhook_id, d.quote_id from deliveries d
        where ${isHeld} order by d.next_attempt_at limit ${limit}
      ) due
      where w.status = 'active' and w.verification <> 'verified'
      limit ${limit}
    ),
    behind as (
      select d.delivery_id, d.partner_id
      from held h join deliveries d
        on d.webhook_id = h.webhook_id and d.partner_id = h.partner_id and d.quote_id = h.quote_id
      where d.status = 'pending' and d.in_order and d.next_attempt_at is null and d.created_at < ${cutOff}
    )
    delete from deliveries d
    using (select delivery_id, partner_id from held union select delivery_id, partner_id from behind) gone
    where d.delivery_id = gone.delivery_id and d.partner_id = gone.partner_id and d.status = 'pending'
      and (d.next_attempt_at is null or d.next_attempt_at < ${cutOff})
      and (d.leased_until is null or d.leased_until <= statement_timestamp())
    returning d.webhook_id as "webhookId", d.quote_id as "quoteId"`)
}

/**
 * Deletes dispatched events of which no delivery is left, at most `limit`, and returns how many. Each is looked up on its
 * own (the `limit 1` sees to that): as a join the planner reads all deliveries and sorts all events for every batch.
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

import { positioningEvents } from '../../events/outbox.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

const dispatchLock = sql`720845, 2`

/** Makes this transaction the only dispatcher. Returns false if another transaction is dispatching. */
async function tryDispatchLock(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${dispatchLock}) as taken`)
  return row?.taken ?? false
}

/** Waits until this transaction is the only dispatcher. */
export async function waitForDispatchLock(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${dispatchLock})`)
}

/**
 * The body of a recursive query that skips through the index: one row per partner with undispatched events, then a
 * final row with a null.
 */
export const partnersWithUndispatchedEvents = sql`
  partners_waiting (partner_id) as (
    (select e.partner_id from events e where e.dispatched_at is null order by e.partner_id limit 1)
    union all
    select (
      select e.partner_id from events e
      where e.dispatched_at is null and e.partner_id > w.partner_id order by e.partner_id limit 1
    )
    from partners_waiting w where w.partner_id is not null
  )`

/**
 * The id of the delivery of event `e` to webhook `w`: the event's TypeID with its last ten random digits replaced by a
 * hash (hexadecimal digits are also base 32 digits). The same event therefore cannot be queued twice for a webhook.
 */
const deliveryId = sql`'delivery_' || substr(e.event_id, 7, 16) || left(md5(e.event_id || w.webhook_id), 10)`

/** The values of a queue row for event `e` and webhook `w`. Events of the same quote are sent in order. */
export const eventDeliveryValues = sql`
  ${deliveryId}, e.partner_id, w.webhook_id, e.event_id, e.event_id, e.event_number, e.type, e.quote_id,
  e.quote_id is not null`

export const eventDeliveryColumns = sql`
  delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, in_order`

export interface DispatchResult {
  events: number
  deliveries: number
  /** True if a partner has more events than its share of the batch. */
  hasMore: boolean
}

/**
 * Queues about `batch` of the oldest undispatched events for every webhook that subscribes to them and was registered
 * before them, and gives each event its position. The batch is shared equally between partners that have events, with
 * at least one event each, so that one partner's flood does not delay the others. Does nothing while another worker
 * dispatches: an event cannot overtake an earlier event of its quote, positions rise from one dispatch to the next, and
 * a reader that has reached a position has missed nothing before it.
 */
export async function dispatchEvents(tx: Tx, batch: number): Promise<DispatchResult> {
  if (!(await tryDispatchLock(tx))) return { events: 0, deliveries: 0, hasMore: false }
  const [row] = await tx.query<DispatchResult>(sql`
    with recursive ${partnersWithUndispatchedEvents},
    shares as materialized (
      select partner_id, greatest(1, ${batch}::integer / count(*) over ())::integer as share
      from partners_waiting where partner_id is not null
    ),
    oldest as materialized (
      select own.*, shares.share, row_number() over (partition by shares.partner_id) as rank
      from shares cross join lateral (
        select e.partner_id, e.event_id, e.event_number from events e
        where e.partner_id = shares.partner_id and e.dispatched_at is null order by e.event_number
        limit shares.share
      ) own
    ),
    numbered as (
      select partner_id, event_id, nextval('event_positions') as position
      from (select partner_id, event_id from oldest order by event_number) sorted
    ),
    positioned as (${positioningEvents}),
    queued as (
      insert into delivery_queue (${eventDeliveryColumns})
      select ${eventDeliveryValues}
      from positioned e join webhooks w
        on w.partner_id = e.partner_id and w.created_at > '-infinity' and w.status = 'active'
            and e.type = any(w.events) and w.created_at <= e.occurred_at
      order by e.event_number
      returning delivery_id
    )
    select (select count(*)::integer from positioned) as "events",
           (select count(*)::integer from queued) as "deliveries",
      coalesce((select bool_or(rank = share) from oldest), false) as "hasMore"`)
  if (row === undefined) throw new Error('select without from returned no row')
  return row
}

import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { eventBody } from '../messages/messages.store.ts'
import { isFree } from './leases.store.ts'

/** An event nobody has dispatched yet, once for every webhook that wants it; once with a null webhook if none does. */
export interface UndispatchedEvent {
  eventId: string
  partnerId: string
  quoteId: string | null
  type: string
  /** Of the message: what is sent. */
  body: string
  webhookId: string | null
  /** An earlier event of the same quote has yet to end its first attempt at this webhook. */
  isBehind: boolean
  /** Of the webhook, as far as there is one; see `Receiver`. */
  isFailing: boolean
  isVerified: boolean
  hasBacklog: boolean
  /** How many of each partner were listed at most. */
  share: number
}

/** A delivery to be made of an event. */
export interface NewDelivery {
  deliveryId: string
  webhookId: string
  eventId: string
  /** False: its turn comes when the first attempt before it has ended. */
  isDue: boolean
  /** Whoever inserts it has it in hand from the start. */
  isLeased: boolean
}

/** What a worker leases as it is inserted. */
export interface Lease {
  leaseId: string
  leaseSeconds: number
}

const eventDeliveryColumns = sql`
  delivery_id, partner_id, webhook_id, message_id, event_id, event_type, quote_id, event_number, status, in_order, next_attempt_at`

/** Of what is given, `g`, and its event `e`. */
const eventDelivery = sql`
  g.delivery_id, e.partner_id, g.webhook_id, e.event_id, e.event_id, e.type, e.quote_id, e.event_number, 'pending', true,
  case when g.is_due then clock_timestamp() end`

/**
 * Makes this transaction the only dispatcher; false where another one is at it. One dispatcher at a time, in the order
 * of the events' numbers: two could commit the later event of a quote first.
 */
export async function takeDispatch(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(720845, 2) as taken`)
  return row?.taken ?? false
}

/** As `takeDispatch`, but waits for a dispatcher that is at it. */
export async function holdBackDispatchers(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(720845, 2)`)
}

/** Waits until nobody records attempts, and keeps recorders out until the transaction ends. */
export async function holdBackRecorders(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(720845, 3)`)
}

/**
 * Recorders among themselves work at the same time, but not beside a dispatcher: it would find a first attempt
 * unfinished that has just ended, and the delivery it puts behind it would wait for ever.
 */
export async function holdBackDispatch(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(720845, 3)`)
}

/** Of a recursive query: partners that have events to dispatch, found by stepping through the index, and a null at the end. */
export const partnersWaiting = sql`
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
 * The oldest undispatched events of every partner that has any, or of as many partners as there may be, about `limit` in all and as many
 * of each, with the webhooks that were registered before them. The partners are found by stepping through the index, so one that has
 * a million waiting costs the others nothing.
 */
export async function listUndispatched(
  tx: Tx,
  { limit, mostPartners }: { limit: number; mostPartners: number | null },
): Promise<UndispatchedEvent[]> {
  return tx.query<UndispatchedEvent>(sql`
    with recursive ${partnersWaiting},
    partners as materialized (
      select partner_id, greatest(1, ${limit}::integer / count(*) over ())::integer as share
      from (select partner_id from partners_waiting where partner_id is not null limit ${mostPartners}::integer) listed
    ),
    batch as materialized (
      select own.*, partners.share from partners cross join lateral (
        select e.* from events e where e.partner_id = partners.partner_id and e.dispatched_at is null
        order by e.event_number limit partners.share
      ) own
    ),
    receivers as materialized (
      select w.webhook_id, w.partner_id, w.events, w.created_at, w.failing_since is not null as is_failing,
        w.verification = 'verified' as is_verified,
        (
          select d.delivery_id from deliveries d
          where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.status = 'pending' and d.is_event
            and d.next_attempt_at <= statement_timestamp() and ${isFree}
          order by d.next_attempt_at limit 1
        ) is not null as has_backlog
      from partners join webhooks w using (partner_id)
      where w.status = 'active' and w.partner_id = any(array(select partner_id from partners))
    )
    select e.event_id as "eventId", e.partner_id as "partnerId", e.quote_id as "quoteId", e.type, ${eventBody} as "body",
      w.webhook_id as "webhookId",
      (
        select p.delivery_id from deliveries p
        where p.webhook_id = w.webhook_id and p.partner_id = e.partner_id and p.quote_id = e.quote_id
          and p.status = 'pending' and p.in_order
        order by p.event_number limit 1
      ) is not null as "isBehind",
      coalesce(w.is_failing, false) as "isFailing", coalesce(w.is_verified, false) as "isVerified",
      coalesce(w.has_backlog, false) as "hasBacklog", e.share
    from batch e
    left join receivers w on w.partner_id = e.partner_id and e.type = any(w.events) and w.created_at <= e.occurred_at
    order by e.event_number, w.webhook_id`)
}

/**
 * Marks events as dispatched, gives each its position, in the order given, and queues their deliveries in the order of their
 * quotes; the caller has held recorders back where one is put behind others. Positions rise with every dispatch, as there is one
 * dispatcher at a time: what is committed later lies behind everything that could be read before.
 */
export async function placeEvents(
  tx: Tx,
  eventIds: readonly string[],
  deliveries: readonly NewDelivery[],
  lease: Lease,
): Promise<void> {
  await tx.query(sql`
    with given as (
      select event_id, nextval('event_positions') as position
      from (
        select event_id from unnest(${eventIds}::text[]) with ordinality as g (event_id, place) order by place
      ) sorted
    ),
    placed as (
      update events e set dispatched_at = clock_timestamp(), position = given.position
      from given where e.event_id = given.event_id and e.event_id = any(${eventIds}::text[])
      returning e.event_id, e.event_number, e.partner_id, e.quote_id, e.type
    )
    insert into deliveries (${eventDeliveryColumns}, lease_id, leased_until)
    select ${eventDelivery},
      case when g.is_leased then ${lease.leaseId} end,
      case when g.is_leased then clock_timestamp() + ${lease.leaseSeconds}::integer * interval '1 second' end
    from unnest(
      ${deliveries.map((delivery) => delivery.deliveryId)}::text[],
      ${deliveries.map((delivery) => delivery.webhookId)}::text[],
      ${deliveries.map((delivery) => delivery.eventId)}::text[],
      ${deliveries.map((delivery) => delivery.isDue)}::boolean[],
      ${deliveries.map((delivery) => delivery.isLeased)}::boolean[]
    ) as g (delivery_id, webhook_id, event_id, is_due, is_leased)
    join placed e using (event_id)`)
}

/**
 * Queues deliveries of events that were dispatched before, and returns how many: not of one that was removed meanwhile. They count as
 * made when their events happened, so that none is kept longer than others. What `placeEvents` demands of its caller goes for
 * this as well.
 */
export async function insertMissed(
  tx: Tx,
  partnerId: string,
  missed: readonly Omit<NewDelivery, 'isLeased'>[],
): Promise<number> {
  const queued = await tx.query(sql`
    insert into deliveries (${eventDeliveryColumns}, created_at)
    select ${eventDelivery}, e.occurred_at
    from unnest(
      ${missed.map((delivery) => delivery.deliveryId)}::text[],
      ${missed.map((delivery) => delivery.webhookId)}::text[],
      ${missed.map((delivery) => delivery.eventId)}::text[],
      ${missed.map((delivery) => delivery.isDue)}::boolean[]
    ) as g (delivery_id, webhook_id, event_id, is_due)
    join events e on e.event_id = g.event_id and e.partner_id = ${partnerId}
    returning delivery_id`)
  return queued.length
}

import { eventTypes } from '../../events/event.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { CustomerEvent } from '../../privacy/customer-records.store.ts'
import { labelsOf } from '../delivery/delivery-body.store.ts'
import type { EventFilter, EventOrder, EventPosition, StoredEvent } from './logged-event.ts'

const eventColumns = sql`
  e.event_id as "eventId", e.quote_id as "quoteId", e.type, e.occurred_at as "occurredAt",
  e.data, e.position,
  ${labelsOf(sql`e`)} as "labels"`

interface EventPage {
  order: EventOrder
  /** Only events that come after this position in the page's order; undefined for the first page. */
  past: string | undefined
  limit: number
}

/**
 * A page of the partner's dispatched events, by position. If no quote is given, the query merges one scan per event
 * type. Each scan reads at most one page.
 */
export async function listEvents(
  db: Queryable,
  partnerId: Id<'partner'>,
  filter: EventFilter,
  { order, past, limit }: EventPage,
): Promise<StoredEvent[]> {
  const direction = order === 'newest' ? sql`desc` : sql`asc`
  const behind =
    past === undefined ? empty : order === 'newest' ? sql`and e.position < ${past}` : sql`and e.position > ${past}`
  const inTime = sql`${behind} ${createdWithin(filter)}`
  if (filter.quoteId !== undefined)
    return db.query<StoredEvent>(sql`
      select ${eventColumns} from events e
      where e.partner_id = ${partnerId} and e.quote_id = ${filter.quoteId} and e.type = any(${filter.types}::text[])
        and e.position is not null ${inTime}
      order by e.position ${direction} limit ${limit}`)
  return db.query<StoredEvent>(sql`
    select found.* from unnest(${filter.types}::text[]) wanted (type)
    cross join lateral (
      select ${eventColumns} from events e
      where e.partner_id = ${partnerId} and e.type = wanted.type and e.position is not null ${inTime}
        ${nearPositions(partnerId, filter)}
      order by e.position ${direction} limit ${limit}
    ) found
    order by found.position ${direction} limit ${limit}`)
}

function createdWithin({ createdAfter, createdBefore }: EventFilter): Sql {
  const after = createdAfter === undefined ? empty : sql`and e.occurred_at >= ${createdAfter}::timestamptz`
  const before = createdBefore === undefined ? empty : sql`and e.occurred_at < ${createdBefore}::timestamptz`
  return sql`${after} ${before}`
}

/**
 * Limits a scan by position to the positions that events in the given time range can have. Positions follow the time of
 * writing, except in overlapping transactions. No transaction lasts an hour. Uses `greatest` and `least`, which ignore
 * a null. Under row-level security, `coalesce` would prevent the use of the index, because PostgreSQL does not consider
 * it leakproof.
 */
function nearPositions(partnerId: Id<'partner'>, { createdAfter, createdBefore }: EventFilter): Sql {
  const ofType = sql`
    select p.position from events p
    where p.partner_id = ${partnerId} and p.type = wanted.type and p.position is not null
      and p.occurred_at > '-infinity'`
  const lowest =
    createdAfter === undefined
      ? empty
      : sql`and e.position > greatest((${ofType} and p.occurred_at < ${createdAfter}::timestamptz - interval '1 hour'
          order by p.occurred_at desc, p.position desc limit 1), 0)`
  const highest =
    createdBefore === undefined
      ? empty
      : sql`and e.position < least((${ofType} and p.occurred_at >= ${createdBefore}::timestamptz + interval '1 hour'
          order by p.occurred_at, p.position limit 1), 9223372036854775807)`
  return sql`${lowest} ${highest}`
}

/** Finds the event, whether or not it has been dispatched. */
export async function findEvent(
  db: Queryable,
  partnerId: Id<'partner'>,
  eventId: Id<'event'>,
): Promise<Omit<StoredEvent, 'position'> | undefined> {
  const [row] = await db.query<StoredEvent>(
    sql`select ${eventColumns} from events e where e.partner_id = ${partnerId} and e.event_id = ${eventId}`,
  )
  return row
}

/** The partner's last event, whether or not it has been removed; undefined if it never had one. */
export async function findLastPosition(db: Queryable, partnerId: Id<'partner'>): Promise<EventPosition | undefined> {
  const [position] = await db.query<EventPosition>(sql`
    select latest.event_id as "eventId", latest.position
    from unnest(${eventTypes}::text[]) each_type (type)
    cross join lateral (
      select e.event_id, e.position from events e
      where e.partner_id = ${partnerId} and e.type = each_type.type and e.position is not null
      order by e.position desc limit 1
    ) latest
    union all
    select event_id, position from removed_events where partner_id = ${partnerId}
    order by position desc limit 1`)
  return position
}

/** The last of the partner's events that were removed; undefined if none were. */
export async function findLastRemovedPosition(
  db: Queryable,
  partnerId: Id<'partner'>,
): Promise<EventPosition | undefined> {
  const [position] = await db.query<EventPosition>(
    sql`select event_id as "eventId", position from removed_events where partner_id = ${partnerId}`,
  )
  return position
}

/** The position of the partner's event. Of the removed events, only the last one has a position. */
export async function findPosition(
  db: Queryable,
  partnerId: Id<'partner'>,
  eventId: Id<'event'>,
): Promise<EventPosition | undefined> {
  const [position] = await db.query<EventPosition>(sql`
    select event_id as "eventId", position from events
    where partner_id = ${partnerId} and event_id = ${eventId} and position is not null
    union all
    select event_id, position from removed_events where partner_id = ${partnerId} and event_id = ${eventId}
    limit 1`)
  return position
}

/** The customer's latest events, without the quote's reference, at most `limit` of them, oldest first. */
export async function listCustomerEvents(
  db: Queryable,
  partnerId: Id<'partner'>,
  { customerId, quoteId, limit }: { customerId: Id<'tenant'>; quoteId: Id<'quote'>; limit: number },
): Promise<CustomerEvent[]> {
  const latestFirst = await db.query<CustomerEvent>(sql`
    select event_id as "eventId", type, occurred_at as "occurredAt", data from events
     where partner_id = ${partnerId} and quote_id = ${quoteId} and data ->> 'customerId' = ${customerId}
     order by event_number desc limit ${limit}`)
  return latestFirst.reverse()
}

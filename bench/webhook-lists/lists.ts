import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { eventTypes } from '../../src/domain/events/event.ts'
import { deliveredTypes, deliveryStatuses } from '../../src/domain/webhooks/delivery/delivery.ts'
import { deliveryCursor } from '../../src/http/wire/webhooks/delivery.ts'
import { eventCursor } from '../../src/http/wire/webhooks/event.ts'
import type { Id } from '../../src/kernel/ids.ts'
import type { History } from './history.ts'
import { challengeCount } from './history.ts'

/** A page of a list, to be timed. Its `name` is the same for every partner. */
export interface ListedPage {
  name: string
  /** The path below /partner-api. */
  path: string
}

/** The number of entries per page: the default of both lists. */
const pageSize = 20

/**
 * Chooses the pages whose loading is timed: with each filter alone, with several together, and the first, middle and last pages without
 * a filter.
 */
export async function choosePagesToTime(db: Database, history: History): Promise<ListedPage[]> {
  return [...(await deliveryPages(db, history)), ...(await eventPages(db, history))]
}

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

async function deliveryPages(db: Database, { webhookId, events }: History): Promise<ListedPage[]> {
  const total = events + challengeCount
  const behind = async (index: number) => {
    const [place] = await db.query<{ deliveryId: Id<'delivery'>; createdMicros: string }>(sql`
      select delivery_id as "deliveryId", (extract(epoch from created_at) * 1000000)::bigint as "createdMicros"
      from deliveries where webhook_id = ${webhookId}
      order by created_at desc, delivery_id desc offset ${index - 1} limit 1`)
    return `cursor=${deliveryCursor(place ?? null)}`
  }
  const queries: [string, string][] = [
    ['first page', ''],
    ['middle page', await behind(Math.floor(total / 2))],
    ['last page', await behind(total - pageSize)],
    ...deliveryStatuses.map((status): [string, string] => [`\`status=${status}\``, `status=${status}`]),
    ...deliveredTypes.map((type): [string, string] => [`\`eventType=${type}\``, `eventType=${type}`]),
    ['`status` and `eventType`', 'status=failed&eventType=customer.payment.updated'],
    ['`status` and `eventType`, which match only the oldest delivery', 'status=pending&eventType=webhook.verification'],
    ['`createdAfter` 14 days ago', `createdAfter=${ago(14)}`],
    ['`createdBefore` 14 days ago', `createdBefore=${ago(14)}`],
    ['`createdAfter` and `createdBefore`, two days', `createdAfter=${ago(15)}&createdBefore=${ago(13)}`],
    [
      'all of them together',
      `status=failed&eventType=quote.status.changed&createdAfter=${ago(28)}&createdBefore=${ago(1)}`,
    ],
  ]
  return queries.map(([name, query]) => ({ name, path: `/Webhooks/${webhookId}/deliveries?${query}` }))
}

async function eventPages(db: Database, { partnerId, events }: History): Promise<ListedPage[]> {
  const behind = async (order: 'newest' | 'oldest', index: number) => {
    const oldest = order === 'oldest' ? index : events + 1 - index
    const [place] = await db.query<{ eventId: Id<'event'> }>(
      sql`select event_id as "eventId" from events where partner_id = ${partnerId} order by position offset ${oldest - 1} limit 1`,
    )
    return `cursor=${eventCursor(place === undefined ? null : { order, after: place.eventId })}`
  }
  const [someQuote] = await db.query<{ quoteId: string }>(sql`
    select quote_id as "quoteId" from events where partner_id = ${partnerId}
    order by position offset ${Math.floor(events / 2)} limit 1`)
  const middle = Math.floor(events / 2)
  const queries: [string, string][] = [
    ['first page', ''],
    ['middle page', await behind('newest', middle)],
    ['last page', await behind('newest', events - pageSize)],
    ['`order=oldest`, first page', 'order=oldest'],
    ['`order=oldest`, middle page', await behind('oldest', middle)],
    ['`order=oldest`, last page', await behind('oldest', events - pageSize)],
    ['`order=oldest`, nothing new', await behind('oldest', events)],
    ['`order=oldest`, `createdAfter` 14 days ago', `order=oldest&createdAfter=${ago(14)}`],
    ...eventTypes.map((type): [string, string] => [`\`type=${type}\``, `type=${type}`]),
    ['`quoteId`', `quoteId=${someQuote?.quoteId}`],
    ['`createdAfter` and `createdBefore`, two days', `createdAfter=${ago(15)}&createdBefore=${ago(13)}`],
    [
      '`type`, `createdAfter` and `createdBefore`',
      `type=quote.status.changed&createdAfter=${ago(28)}&createdBefore=${ago(1)}`,
    ],
  ]
  return queries.map(([name, query]) => ({ name, path: `/Events?${query}` }))
}

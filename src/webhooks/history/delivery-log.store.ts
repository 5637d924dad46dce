import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import {
  type AttemptOutline,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPosition,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  type RecordedAttempt,
} from '../delivery/delivery.ts'
import { deliveryBody, labelsOf, type StoredBody, type StoredLabels } from '../delivery/delivery-body.store.ts'
import { waitsForEarlierEvent } from '../delivery/queue.store.ts'

/** An attempt as read from JSON, with its time as text. */
type Stored<Described extends AttemptOutline> = Omit<Described, 'startedAt'> & { startedAt: string }

type DeliveryRow = Omit<Delivery, 'lastAttempt'> & { lastAttempt: Stored<AttemptOutline> | null }

/** True if a worker is sending the pending delivery `d`. */
const isLeased = sql`(d.leased_until > statement_timestamp())`

/**
 * The columns of a delivery `d`. A delivery that is being sent or waits for an earlier event has no `nextAttemptAt`.
 */
const deliveryColumns = sql`
  d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.message_id as "messageId", d.event_type as "type",
  d.quote_id as "quoteId", d.status, d.attempt_count as "attemptCount", d.created_at as "createdAt",
  case when d.status = 'pending' and ${isLeased} is not true and not ${waitsForEarlierEvent} then d.next_attempt_at
  end as "nextAttemptAt",
  case when d.status <> 'pending' then null when ${isLeased} then 'answer' when ${waitsForEarlierEvent}
  then 'earlier_event'
    when d.next_attempt_at > statement_timestamp() then 'retry' else 'turn' end as "waitingFor",
  case when d.status = 'failed' then coalesce(d.given_up_because, 'attempts_used_up') end as "givenUpBecause",
  d.finished_at as "finishedAt",
  (select json_build_object('startedAt', a.last -> 'startedAt', 'durationMs', a.last -> 'durationMs',
      'responseStatus', a.last -> 'responseStatus', 'error', a.last -> 'error')
    from (select d.attempts[cardinality(d.attempts)] as last) a where a.last is not null) as "lastAttempt"`

/**
 * A page of a webhook's deliveries, newest first. Merges one scan for each status and type, each of which reads no more
 * than a page, so that the cost depends neither on the number of deliveries nor on how rare matches are.
 */
export async function listDeliveries(
  db: Queryable,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  filter: DeliveryFilter,
  page: { after: DeliveryPosition | undefined; limit: number },
): Promise<{ delivery: Delivery; position: DeliveryPosition }[]> {
  const statuses = filter.status === undefined ? deliveryStatuses : [filter.status]
  const types = filter.type === undefined ? deliveredTypes : [filter.type]
  const rows = await db.query<DeliveryRow & { createdMicros: string }>(sql`
    select ${deliveryColumns}, (extract(epoch from d.created_at) * 1000000)::bigint as "createdMicros"
    from unnest(${statuses}::text[]) wanted_status (status)
    cross join unnest(${types}::text[]) wanted_type (event_type)
    cross join lateral (
      select * from deliveries o
      where o.partner_id = ${partnerId} and o.webhook_id = ${webhookId} and o.status = wanted_status.status
        and o.event_type = wanted_type.event_type ${conditions(filter, page.after)}
      order by o.created_at desc, o.delivery_id desc limit ${page.limit}
    ) d
    order by d.created_at desc, d.delivery_id desc limit ${page.limit}`)
  return rows.map(({ createdMicros, ...row }) => ({
    delivery: toDelivery(row),
    position: { deliveryId: row.deliveryId, createdMicros },
  }))
}

function conditions({ createdAfter, createdBefore }: DeliveryFilter, after: DeliveryPosition | undefined): Sql {
  const from = createdAfter === undefined ? empty : sql`and o.created_at >= ${createdAfter}`
  const before = createdBefore === undefined ? empty : sql`and o.created_at < ${createdBefore}`
  const behind =
    after === undefined
      ? empty
      : sql`and (o.created_at, o.delivery_id)
          < (timestamptz 'epoch' + ${after.createdMicros}::bigint * interval '1 microsecond',
             ${after.deliveryId}::text)`
  return sql`${from} ${before} ${behind}`
}

/**
 * The deliveries of one event, except those to deleted webhooks, in the order in which the webhooks were registered.
 */
export async function listDeliveriesOfEvent(
  db: Queryable,
  partnerId: Id<'partner'>,
  eventId: Id<'event'>,
): Promise<Delivery[]> {
  const rows = await db.query<DeliveryRow>(sql`
    select ${deliveryColumns}
    from deliveries d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    where d.partner_id = ${partnerId} and d.event_id = ${eventId} and w.deleted_at is null
    order by d.webhook_id`)
  return rows.map(toDelivery)
}

/** Undefined if there is no such delivery or its webhook was deleted. */
export async function findDelivery(
  db: Queryable,
  partnerId: Id<'partner'>,
  deliveryId: Id<'delivery'>,
): Promise<(DeliveryWithAttempts & StoredBody & { isEvent: boolean }) | undefined> {
  const [row] = await db.query<
    DeliveryRow & {
      isEvent: boolean
      body: string
      labels: StoredLabels
      attempts: Stored<RecordedAttempt>[]
    }
  >(sql`
    select ${deliveryColumns}, d.is_event as "isEvent", ${deliveryBody} as "body",
           ${labelsOf(sql`d`)} as "labels", to_json(d.attempts) as "attempts"
    from deliveries d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    where d.partner_id = ${partnerId} and d.delivery_id = ${deliveryId} and w.deleted_at is null`)
  if (row === undefined) return undefined
  const { isEvent, body, labels, attempts } = row
  return { ...toDelivery(row), isEvent, body, labels, attempts: attempts.map(withTime) }
}

function toDelivery(row: DeliveryRow): Delivery {
  return { ...row, lastAttempt: row.lastAttempt && withTime(row.lastAttempt) }
}

function withTime<Described extends AttemptOutline>(stored: Stored<Described>) {
  return { ...stored, startedAt: new Date(stored.startedAt) }
}

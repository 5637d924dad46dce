import type { Queryable } from '../../db/database.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import {
  type AttemptOutline,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPlace,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  type RecordedAttempt,
} from './delivery.ts'

const mostAttempts = 100

type DeliveryRow = Omit<Delivery, 'lastAttempt'> & { lastAttempt: (AttemptOutline & { startedAt: string }) | null }

/** Of a delivery `d`. What a lease holds is being sent: its due time has passed. */
const deliveryColumns = sql`
  d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.message_id as "messageId", d.event_type as "type",
  d.quote_id as "quoteId", d.status, d.attempt_count as "attemptCount", d.created_at as "createdAt",
  case when d.status = 'pending' and (d.leased_until is null or d.leased_until <= statement_timestamp()) then d.next_attempt_at end
    as "nextAttemptAt",
  d.finished_at as "finishedAt",
  (select json_build_object('startedAt', a.started_at, 'durationMs', a.duration_ms, 'responseStatus', a.response_status,
      'error', a.error)
    from delivery_attempts a where a.delivery_id = d.delivery_id and a.partner_id = d.partner_id
    order by a.attempt_number desc limit 1) as "lastAttempt"`

/**
 * A page of a webhook's deliveries, newest first. It is merged from one scan for each status and type, each of which reads no
 * more than the page: however many deliveries there are, and however few of them are looked for, nothing is read to be
 * passed over.
 */
export async function listDeliveries(
  db: Queryable,
  partnerId: string,
  webhookId: string,
  filter: DeliveryFilter,
  page: { after: DeliveryPlace | undefined; limit: number },
): Promise<{ delivery: Delivery; place: DeliveryPlace }[]> {
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
    place: { deliveryId: row.deliveryId, createdMicros },
  }))
}

function conditions({ createdAfter, createdBefore }: DeliveryFilter, after: DeliveryPlace | undefined): Sql {
  const from = createdAfter === undefined ? empty : sql`and o.created_at >= ${createdAfter}`
  const before = createdBefore === undefined ? empty : sql`and o.created_at < ${createdBefore}`
  const behind =
    after === undefined
      ? empty
      : sql`and (o.created_at, o.delivery_id)
          < (timestamptz 'epoch' + ${after.createdMicros}::bigint * interval '1 microsecond', ${after.deliveryId}::text)`
  return sql`${from} ${before} ${behind}`
}

/** Unless its webhook was deleted: then it is nobody's any more. */
export async function findDelivery(
  db: Queryable,
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryWithAttempts | undefined> {
  const [row] = await db.query<DeliveryRow & { body: string }>(sql`
    select ${deliveryColumns}, d.body
    from deliveries d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    where d.partner_id = ${partnerId} and d.delivery_id = ${deliveryId} and w.deleted_at is null`)
  if (row === undefined) return undefined
  const attempts = await db.query<RecordedAttempt>(sql`
    select attempt_number as "attemptNumber", started_at as "startedAt", duration_ms as "durationMs",
      request_headers as "requestHeaders", response_status as "responseStatus", response_body as "responseBody", error
    from delivery_attempts where partner_id = ${partnerId} and delivery_id = ${deliveryId}
    order by attempt_number desc limit ${mostAttempts}`)
  const { body, ...rest } = row
  return { ...toDelivery(rest), body, attempts: attempts.reverse() }
}

/** JSON built by the database carries its times as text. */
function toDelivery({ lastAttempt, ...row }: DeliveryRow): Delivery {
  return {
    ...row,
    lastAttempt: lastAttempt === null ? null : { ...lastAttempt, startedAt: new Date(lastAttempt.startedAt) },
  }
}

import type { Queryable } from '../../../db/database.ts'
import { empty, type Sql, sql } from '../../../db/sql.ts'
import {
  type AttemptOutline,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPlace,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  type RecordedAttempt,
} from '../delivery/delivery.ts'
import { deliveryBody } from '../messages/messages.store.ts'

const mostAttempts = 100

/** With its latest attempt, all of it null where there was none. */
interface DeliveryRow extends Omit<Delivery, 'lastAttempt'> {
  lastStartedAt: Date | null
  lastDurationMs: number | null
  lastResponseStatus: number | null
  lastError: string | null
}

/** Of a delivery `d`: some worker has it in hand. */
const isLeased = sql`d.leased_until > statement_timestamp()`

/** Of a delivery `d`. What a lease holds is being sent: its due time has passed. */
const deliveryColumns = sql`
  d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.message_id as "messageId", d.event_type as "type",
  d.quote_id as "quoteId", d.status, d.attempt_count as "attemptCount", d.created_at as "createdAt",
  case when d.status = 'pending' and ${isLeased} is not true then d.next_attempt_at end as "nextAttemptAt",
  case when d.status <> 'pending' then null when ${isLeased} then 'answer' when d.next_attempt_at is null then 'earlier_event'
    when d.next_attempt_at > statement_timestamp() then 'retry' else 'turn' end as "waitingFor",
  case when d.status = 'failed' then coalesce(d.given_up_because,
    case when d.last_response_status = 410 then 'webhook_disabled' else 'attempts_used_up' end) end as "givenUpBecause",
  d.finished_at as "finishedAt",
  d.last_started_at as "lastStartedAt", d.last_duration_ms as "lastDurationMs", d.last_response_status as "lastResponseStatus",
  d.last_error as "lastError"`

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

/** Of one event, without those of webhooks that were deleted; the webhook registered first goes first. */
export async function listDeliveriesOfEvent(db: Queryable, partnerId: string, eventId: string): Promise<Delivery[]> {
  const rows = await db.query<DeliveryRow>(sql`
    select ${deliveryColumns}
    from deliveries d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    where d.partner_id = ${partnerId} and d.event_id = ${eventId} and w.deleted_at is null
    order by d.webhook_id`)
  return rows.map(toDelivery)
}

/** Unless its webhook was deleted: then it is nobody's any more. */
export async function findDelivery(
  db: Queryable,
  partnerId: string,
  deliveryId: string,
): Promise<DeliveryWithAttempts | undefined> {
  const [row] = await db.query<DeliveryRow & LatestAttempt & { body: string }>(sql`
    select ${deliveryColumns}, ${deliveryBody} as "body", d.last_request_headers as "lastRequestHeaders",
      d.last_response_body as "lastResponseBody"
    from deliveries d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    where d.partner_id = ${partnerId} and d.delivery_id = ${deliveryId} and w.deleted_at is null`)
  if (row === undefined) return undefined
  const { body, lastRequestHeaders, lastResponseBody, ...rest } = row
  const delivery = toDelivery(rest)
  const { attemptCount, lastAttempt } = delivery
  if (lastAttempt === null || lastRequestHeaders === null) return { ...delivery, body, attempts: [] }
  const latest = { ...lastAttempt, requestHeaders: lastRequestHeaders, responseBody: lastResponseBody }
  const earlier = attemptCount > 1 ? await listEarlierAttempts(db, partnerId, delivery) : []
  return { ...delivery, body, attempts: [...earlier, { attemptNumber: attemptCount, ...latest }] }
}

interface LatestAttempt {
  lastRequestHeaders: Record<string, string> | null
  lastResponseBody: string | null
}

/** Those before the latest, oldest first. One that has become an earlier one meanwhile is told as the latest still. */
async function listEarlierAttempts(
  db: Queryable,
  partnerId: string,
  { deliveryId, attemptCount }: Pick<Delivery, 'deliveryId' | 'attemptCount'>,
): Promise<RecordedAttempt[]> {
  const attempts = await db.query<RecordedAttempt>(sql`
    select attempt_number as "attemptNumber", started_at as "startedAt", duration_ms as "durationMs",
      request_headers as "requestHeaders", response_status as "responseStatus", response_body as "responseBody", error
    from earlier_attempts
    where partner_id = ${partnerId} and delivery_id = ${deliveryId} and attempt_number < ${attemptCount}
    order by attempt_number desc limit ${mostAttempts - 1}`)
  return attempts.reverse()
}

function toDelivery(row: DeliveryRow): Delivery {
  const { lastStartedAt, lastDurationMs, lastResponseStatus, lastError, ...rest } = row
  const lastAttempt: AttemptOutline | null =
    lastStartedAt === null || lastDurationMs === null
      ? null
      : { startedAt: lastStartedAt, durationMs: lastDurationMs, responseStatus: lastResponseStatus, error: lastError }
  return { ...rest, lastAttempt }
}

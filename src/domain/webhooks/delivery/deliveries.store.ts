import type { Tx } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Message } from '../messages/message.ts'
import type { Attempt } from './attempt.ts'

/** Queues a message of the webhook's own, such as its verification: due at once, in no quote's order. Returns the delivery's id. */
export async function insertMessage(tx: Tx, partnerId: string, webhookId: string, message: Message): Promise<string> {
  const deliveryId = newId('delivery')
  await tx.query(sql`
    insert into deliveries (delivery_id, partner_id, webhook_id, message_id, event_type, own_body, status, next_attempt_at)
    values (${deliveryId}, ${partnerId}, ${webhookId}, ${message.messageId}, ${message.type}, ${message.body},
      'pending', clock_timestamp())`)
  return deliveryId
}

/** An attempt that ended, and what becomes of its delivery. */
export interface FinishedAttempt {
  deliveryId: string
  leaseId: string
  attempt: Attempt
  /** Another attempt after this many milliseconds; null when it was the last. */
  retryInMs: number | null
}

export interface RecordedAttempt {
  deliveryId: string
  webhookId: string
  /** Null for a message of the webhook's own. */
  quoteId: string | null
  /** The quote's next delivery waited for it. */
  wasInOrder: boolean
}

/**
 * Writes attempts down and moves their deliveries on. The latest attempt is in the delivery's own row; the one that was there
 * goes to those before it. One whose lease somebody else holds by now is left out; one that was asked for again while it was being
 * sent, and did not arrive, is due again at once, in a new round.
 */
export async function insertAttempts(tx: Tx, finished: readonly FinishedAttempt[]): Promise<RecordedAttempt[]> {
  const attempts = finished.map(({ attempt }) => attempt)
  return tx.query<RecordedAttempt>(sql`
    with given as (
      select * from unnest(
        ${finished.map(({ deliveryId }) => deliveryId)}::text[],
        ${finished.map(({ leaseId }) => leaseId)}::text[],
        ${finished.map(statusAfter)}::text[],
        ${finished.map(({ retryInMs }) => retryInMs)}::double precision[],
        ${attempts.map(({ startedAt }) => startedAt)}::timestamptz[],
        ${attempts.map(({ durationMs }) => durationMs)}::integer[],
        ${attempts.map(({ requestHeaders }) => JSON.stringify(requestHeaders))}::json[],
        ${attempts.map(({ responseStatus }) => responseStatus)}::integer[],
        ${attempts.map(({ responseBody }) => responseBody)}::text[],
        ${attempts.map(({ error }) => error)}::text[]
      ) as g (delivery_id, lease_id, status, retry_in_ms, started_at, duration_ms, request_headers, response_status,
        response_body, error)
    ),
    moved as (
      update deliveries d
      set attempt_count = d.attempt_count + 1, lease_id = null, leased_until = null, in_order = false,
        status = case when g.status = 'failed' and d.round_start > d.attempt_count then 'pending' else g.status end,
        next_attempt_at = case when g.status <> 'delivered' and d.round_start > d.attempt_count then clock_timestamp()
          else clock_timestamp() + g.retry_in_ms * interval '1 millisecond' end,
        finished_at = case when g.status = 'delivered' or g.status = 'failed' and d.round_start <= d.attempt_count
          then clock_timestamp() end,
        last_started_at = g.started_at, last_duration_ms = g.duration_ms, last_request_headers = g.request_headers,
        last_response_status = g.response_status, last_response_body = g.response_body, last_error = g.error
      from given g where d.delivery_id = g.delivery_id and d.lease_id = g.lease_id
        and d.delivery_id = any(${finished.map(({ deliveryId }) => deliveryId)}::text[])
      returning d.delivery_id, d.partner_id, d.webhook_id, d.quote_id, old.in_order as was_in_order,
        old.attempt_count as earlier_count, old.last_started_at as started_at, old.last_duration_ms as duration_ms,
        old.last_request_headers as request_headers, old.last_response_status as response_status,
        old.last_response_body as response_body, old.last_error as error
    ),
    kept as (
      insert into earlier_attempts (delivery_id, attempt_number, partner_id, started_at, duration_ms, request_headers,
        response_status, response_body, error)
      select delivery_id, earlier_count, partner_id, started_at, duration_ms, request_headers, response_status, response_body,
        error
      from moved where started_at is not null
    )
    select delivery_id as "deliveryId", webhook_id as "webhookId", quote_id as "quoteId", was_in_order as "wasInOrder"
    from moved`)
}

function statusAfter({ attempt, retryInMs }: FinishedAttempt): 'delivered' | 'pending' | 'failed' {
  if (attempt.outcome === 'accepted') return 'delivered'
  return retryInMs === null ? 'failed' : 'pending'
}

/**
 * Lets the next first attempt of each webhook and quote go, as the one before it has ended, and returns how many there were. Statements
 * of their own, so that they see what was dispatched before the recorder held dispatch back. Nothing but the key is asked of the rows
 * that are written: a condition on more would offer the indexes over all that is pending. Of a table of three rows another index than
 * the key's is as good, and such a plan is not to be kept; it is seldom that anything waits.
 */
export async function releaseNext(tx: Tx, ended: readonly { webhookId: string; quoteId: string }[]): Promise<number> {
  const next = await tx.query<{ deliveryId: string }>(sql`
    select next.delivery_id as "deliveryId"
    from unnest(${ended.map(({ webhookId }) => webhookId)}::text[], ${ended.map(({ quoteId }) => quoteId)}::text[])
      as e (webhook_id, quote_id)
    cross join lateral (
      select n.delivery_id, n.next_attempt_at from deliveries n
      where n.webhook_id = e.webhook_id and n.quote_id = e.quote_id and n.status = 'pending' and n.in_order
      order by n.event_number limit 1
    ) next
    where next.next_attempt_at is null`)
  if (next.length === 0) return 0
  const released = await tx.query(
    sql`
    update deliveries d
    set next_attempt_at = case when d.status = 'pending' and d.in_order then coalesce(d.next_attempt_at, clock_timestamp())
      else d.next_attempt_at end
    where d.delivery_id = any(${next.map(({ deliveryId }) => deliveryId)}::text[])
    returning d.delivery_id`,
    'each time',
  )
  return released.length
}

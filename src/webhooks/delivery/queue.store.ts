import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { type Id, newId } from '../../platform/kernel/ids.ts'
import type { StoredSecret } from '../secrets/secret.ts'
import { hostOfWebhook } from '../sender/webhook-target.ts'
import { type Attempt, keptAttempts } from './delivery.ts'
import { deliveryBody, deliveryTrace, labelsOf, type StoredLabels } from './delivery-body.store.ts'

/*
 * The order of a quote's first attempts is decided when deliveries are leased: a delivery that is `in_order` waits
 * while another such delivery of its webhook and quote is being sent, or is still queued with a lower event number.
 * Recording a first attempt removes the delivery from the queue, or clears `in_order`, so the deliveries behind it need
 * no update.
 */

/** True if no worker is sending the queued delivery `d`: it is not leased or its lease has expired. */
export const isNotLeased = sql`(d.leased_until is null or d.leased_until <= statement_timestamp())`

/**
 * True if the queued delivery `d` has to wait because the first attempt at a different event of its quote has not
 * ended.
 */
export const waitsForEarlierEvent = sql`(d.in_order and exists (
  select from delivery_queue ahead
  where ahead.webhook_id = d.webhook_id and ahead.partner_id = d.partner_id and ahead.quote_id = d.quote_id
    and ahead.in_order
    and ahead.delivery_id <> d.delivery_id
    and (ahead.event_number < d.event_number or ahead.leased_until > statement_timestamp())
))`

/**
 * A subquery for a lateral join with a receiver `r` and a `kind` of message: the receiver's deliveries that are due and
 * can be sent, oldest first. Reads only the `r.max_considered` oldest deliveries, however many are pending. The limit
 * is a column, not a number, because PostgreSQL then expects few rows and reads them in index order even before it has
 * statistics on a new backlog.
 */
export const sendableDeliveries = sql`
  select d.delivery_id, d.next_attempt_at from (
    select o.* from delivery_queue o
    where o.webhook_id = r.webhook_id and o.is_event = kind.is_event and o.next_attempt_at <= statement_timestamp()
    order by o.next_attempt_at limit r.max_considered
  ) d
  where d.partner_id = r.partner_id and ${isNotLeased} and not ${waitsForEarlierEvent}
  order by d.next_attempt_at`

/**
 * How many of a webhook's oldest deliveries are considered. This covers the events of many quotes; a single quote with
 * this many pending events would delay the other quotes of its webhook.
 */
export const maxCandidateDeliveries = 1_000

/**
 * The body of a recursive query that skips through the index: one row per webhook with queued deliveries, then a final
 * row with a null.
 */
export const webhooksWithQueuedDeliveries = sql`
  webhooks_waiting (webhook_id) as (
    (select d.webhook_id from delivery_queue d order by d.webhook_id limit 1)
    union all
    select (select d.webhook_id from delivery_queue d where d.webhook_id > w.webhook_id order by d.webhook_id limit 1)
    from webhooks_waiting w where w.webhook_id is not null
  )`

/** A delivery that this worker may send until its lease expires. */
export interface LeasedDelivery {
  deliveryId: Id<'delivery'>
  leaseId: string
  partnerId: Id<'partner'>
  webhookId: Id<'webhook'>
  messageId: string
  type: string
  quoteId: Id<'quote'> | null
  /** The body without the quote's labels. */
  body: string
  labels: StoredLabels
  /** Of the request that caused the event; null if no request did. */
  traceparent: string | null
  /** How many attempts have been made so far: in total, and since the last redelivery, if there was one. */
  attemptCount: number
  roundAttempts: number
  url: string
  /** All secrets with which messages are signed now, newest first. */
  secrets: readonly StoredSecret[]
  /**
   * The webhook's revision at the time of the lease. If it has changed since then, the outcome says nothing about the
   * webhook as it is now.
   */
  webhookRevision: number
  /** Whether the receiver has echoed a challenge since the webhook got its URL. */
  isVerified: boolean
  /** Whether the message is about an event; if not, it is a challenge or a test message. */
  isEvent: boolean
  /** Whether the webhook's last attempt failed. */
  isFailing: boolean
}

/** How many deliveries a worker may send at once. */
export interface SendingLimits {
  /**
   * The limits for all webhooks together and for all failing ones together, so that receivers that hang cannot use up
   * every slot.
   */
  slots: number
  failingSlots: number
  /**
   * How many messages may be sent at once to a healthy webhook and to a failing one, not counting one message about the
   * webhook itself.
   */
  perWebhook: number
  perFailingWebhook: number
  leaseSeconds: number
  /** `WEBHOOK_REQUIRE_VERIFICATION`: if true, events wait until their webhook is verified. */
  requireVerification: boolean
}

/**
 * Leases as many due deliveries as there are free slots, given how many slots this worker's deliveries to each webhook
 * occupy. The oldest delivery of every webhook comes first, then the second of each, and so on. A webhook's backlog
 * does not slow down the others. Compares with statement_timestamp() because an index scan cannot stop at
 * clock_timestamp(), which changes during the statement.
 */
export async function leaseDueDeliveries(
  tx: Tx,
  limits: SendingLimits,
  occupiedSlots: ReadonlyMap<string, number>,
): Promise<LeasedDelivery[]> {
  return tx.query<LeasedDelivery>(sql`
    with recursive ${webhooksWithQueuedDeliveries},
    receivers as materialized (
      select w.webhook_id, w.partner_id, w.failing_since is not null as is_failing,
             ${maxCandidateDeliveries}::integer as max_considered,
        not ${limits.requireVerification}::boolean or w.verification = 'verified' as takes_events,
        case when w.failing_since is null then ${limits.perWebhook}::integer else ${limits.perFailingWebhook}::integer
        end - coalesce(busy.occupied_slots, 0) as free_slots
      from webhooks_waiting join webhooks w using (webhook_id)
      left join unnest(${[...occupiedSlots.keys()]}::text[], ${[...occupiedSlots.values()]}::integer[])
        as busy (webhook_id, occupied_slots) using (webhook_id)
      where w.status = 'active'
    ),
    due as (
      select r.is_failing, picked.*
      from receivers r cross join unnest(array[false, true]) kind (is_event)
      cross join lateral (
        select sendable.*, row_number() over () as turn from (${sendableDeliveries}) sendable
        where r.takes_events or not kind.is_event
        limit greatest(0, case when kind.is_event then r.free_slots else least(r.free_slots, 1) end)
      ) picked
    ),
    chosen as (
      select delivery_id from (
        select due.*, row_number() over (partition by is_failing order by turn, next_attempt_at) as rank from due
      ) ranked
      where not is_failing or rank <= ${limits.failingSlots}
      order by turn, next_attempt_at limit ${limits.slots}
    ),
    locked as (
      select own.delivery_id from chosen cross join lateral (
        select d.delivery_id from delivery_queue d where d.delivery_id = chosen.delivery_id and ${isNotLeased}
        limit 1 for update skip locked
      ) own
    ),
    leased as (
      update delivery_queue d
      set lease_id = ${newId('claim')}, leased_until = clock_timestamp() + ${limits.leaseSeconds} * interval '1 second'
      from locked where d.delivery_id = locked.delivery_id
      returning d.*
    )
    select d.delivery_id as "deliveryId", d.lease_id as "leaseId", d.partner_id as "partnerId",
           d.webhook_id as "webhookId",
      d.message_id as "messageId", d.event_type as "type", d.quote_id as "quoteId",
      ${deliveryBody} as "body", ${labelsOf(sql`d`)} as "labels", ${deliveryTrace} as "traceparent",
      d.attempt_count as "attemptCount",
      d.round_attempts as "roundAttempts", w.url, w.revision as "webhookRevision",
      w.failing_since is not null as "isFailing",
      w.verification = 'verified' as "isVerified", d.is_event as "isEvent",
      (select json_agg(json_build_object('secretNumber', s.secret_number, 'encrypted', s.secret_encrypted)
                       order by s.secret_number desc)
        from webhook_secrets s
        where s.webhook_id = w.webhook_id and s.partner_id = w.partner_id
          and (s.signs_until is null or s.signs_until > clock_timestamp())) as "secrets"
    from leased d join webhooks w on w.webhook_id = d.webhook_id and w.partner_id = d.partner_id
    order by d.next_attempt_at`)
}

/** The columns that are kept when a delivery moves between the queue and the history. */
export const sharedDeliveryColumns = sql`
  delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body, created_at,
  attempt_count,
  attempts`

/** An attempt that has ended, and its delivery. */
export interface EndedAttempt {
  delivery: LeasedDelivery
  attempt: Attempt
}

/** An attempt that has ended, its delivery, and when that will be retried. */
export interface AttemptWithRetry extends EndedAttempt {
  /** The time until the next attempt in milliseconds; null if this was the last attempt. */
  retryInMs: number | null
}

/**
 * Appends the attempts to their deliveries, and moves each delivery that has ended from the queue to the history. If a
 * redelivery was requested during an attempt that failed, the delivery starts a new round of attempts. Returns the
 * deliveries' ids, except those of deliveries that another worker has leased since.
 */
export async function storeAttempts(tx: Tx, attempts: readonly AttemptWithRetry[]): Promise<string[]> {
  const rows = await tx.query<{ deliveryId: Id<'delivery'> }>(sql`
    with given as (
      select * from unnest(
        ${attempts.map(({ delivery }) => delivery.deliveryId)}::text[],
        ${attempts.map(({ delivery }) => delivery.leaseId)}::text[],
        ${attempts.map(({ attempt }) => attempt.outcome)}::text[],
        ${attempts.map(({ retryInMs }) => retryInMs)}::double precision[],
        ${attempts.map(recorded)}::json[]
      ) as g (delivery_id, lease_id, outcome, retry_in_ms, attempt)
    ),
    ended as (
      delete from delivery_queue d using given g
      where d.delivery_id = g.delivery_id and d.lease_id = g.lease_id
        and (g.outcome = 'accepted' or (g.retry_in_ms is null and not d.restart))
      returning d.*, g.outcome, g.attempt
    ),
    kept as (
      insert into delivery_history (${sharedDeliveryColumns}, status, given_up_because)
      select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body,
             created_at,
        attempt_count + 1, (attempts || attempt)[cardinality(attempts) + 2 - ${keptAttempts}:],
        case when outcome = 'accepted' then 'delivered' else 'failed' end, case when outcome = 'gone'
        then 'webhook_disabled' end
      from ended
    ),
    retried as (
      update delivery_queue d
      set attempt_count = d.attempt_count + 1,
          attempts = (d.attempts || g.attempt)[cardinality(d.attempts) + 2 - ${keptAttempts}:],
        round_attempts = case when d.restart then 0 else d.round_attempts + 1 end, restart = false, in_order = false,
        next_attempt_at = clock_timestamp()
          + case when d.restart then 0 else g.retry_in_ms end * interval '1 millisecond',
        lease_id = null, leased_until = null
      from given g
      where d.delivery_id = g.delivery_id and d.lease_id = g.lease_id
        and g.outcome <> 'accepted' and (g.retry_in_ms is not null or d.restart)
      returning d.delivery_id
    )
    select delivery_id as "deliveryId" from ended union all select delivery_id from retried`)
  return rows.map(({ deliveryId }) => deliveryId)
}

/** The attempt in the form in which it is stored and later read as a `RecordedAttempt`, with the host that got it. */
function recorded({ delivery, attempt }: AttemptWithRetry): string {
  const { startedAt, durationMs, requestHeaders, responseStatus, responseBody, error } = attempt
  const attemptNumber = delivery.attemptCount + 1
  const host = hostOfWebhook(delivery.url)
  return JSON.stringify({
    attemptNumber,
    host,
    startedAt,
    durationMs,
    requestHeaders,
    responseStatus,
    responseBody,
    error,
  })
}

/**
 * Makes the webhook's queued deliveries due earlier and its streak of failures older. The time of the last failure
 * stays, because a streak with a gap of five days would begin anew.
 */
export async function moveDeliveriesForward(
  tx: Tx,
  partnerId: Id<'partner'>,
  webhookId: Id<'webhook'>,
  seconds: number,
): Promise<void> {
  await tx.query(sql`
    update delivery_queue d set next_attempt_at = next_attempt_at - ${seconds}::int * interval '1 second'
     where partner_id = ${partnerId} and webhook_id = ${webhookId} and ${isNotLeased}`)
  await tx.query(sql`
    update webhooks set failing_since = failing_since - ${seconds}::int * interval '1 second'
     where partner_id = ${partnerId} and webhook_id = ${webhookId} and failing_since is not null`)
  tx.wakeAfterCommit('deliveries')
}

import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hostOfWebhook } from '../sender/webhook-url.ts'
import type { Attempt } from './deliver.ts'
import { keptAttempts } from './delivery.ts'
import type { LeasedDelivery } from './leases.store.ts'
import { sharedDeliveryColumns } from './queue.store.ts'

/** An attempt that has ended, and when its delivery will be retried. */
export interface FinishedAttempt {
  delivery: LeasedDelivery
  attempt: Attempt
  /** The time until the next attempt in milliseconds; null if this was the last attempt. */
  retryInMs: number | null
}

/**
 * Appends the attempts to their deliveries, and moves each delivery that has ended from the queue to the history. If a
 * redelivery was requested during an attempt that failed, the delivery starts a new round of attempts. Returns the
 * deliveries' ids, except those of deliveries that another worker has leased since.
 */
export async function recordFinishedAttempts(tx: Tx, finished: readonly FinishedAttempt[]): Promise<string[]> {
  const rows = await tx.query<{ deliveryId: Id<'delivery'> }>(sql`
    with given as (
      select * from unnest(
        ${finished.map(({ delivery }) => delivery.deliveryId)}::text[],
        ${finished.map(({ delivery }) => delivery.leaseId)}::text[],
        ${finished.map(({ attempt }) => attempt.outcome)}::text[],
        ${finished.map(({ retryInMs }) => retryInMs)}::double precision[],
        ${finished.map(recorded)}::json[]
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
function recorded({ delivery, attempt }: FinishedAttempt): string {
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

import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { partnersWithUndispatchedEvents } from './dispatch.store.ts'
import { maxCandidateDeliveries, sendableDeliveries, webhooksWithQueuedDeliveries } from './queue.store.ts'

/** The length of a queue is counted up to this, so that a long one costs no more to measure. */
const mostCounted = 10_000

/**
 * How far behind the workers of all processes are. Skips through the indexes of both queues, so that the cost does not
 * depend on the length of a backlog. Leaves out events that wait for their webhook's verification.
 */
export async function readBacklog(
  db: Queryable,
  { requireVerification }: { requireVerification: boolean },
): Promise<WebhookBacklog> {
  const [row] = await db.query<WebhookBacklog>(sql`
    with recursive ${partnersWithUndispatchedEvents}, ${webhooksWithQueuedDeliveries},
    undispatched as (
      select min(own.occurred_at) as since from partners_waiting cross join lateral (
        select e.occurred_at from events e
        where e.partner_id = partners_waiting.partner_id and e.dispatched_at is null order by e.event_number limit 1
      ) own
    ),
    receivers as materialized (
      select w.webhook_id, w.partner_id, ${maxCandidateDeliveries}::integer as max_considered,
        not ${requireVerification}::boolean or w.verification = 'verified' as takes_events
      from webhooks_waiting join webhooks w using (webhook_id)
      where w.status = 'active' and w.failing_since is null
    ),
    depth as (
      select
        (select count(*) from (
          select from partners_waiting cross join lateral (
            select from events e
            where e.partner_id = partners_waiting.partner_id and e.dispatched_at is null
            order by e.event_number limit ${mostCounted}
          ) own limit ${mostCounted}
        ) events)::integer as "undispatched",
        (select count(*) from (
          select from webhooks_waiting cross join lateral (
            select from delivery_queue d where d.webhook_id = webhooks_waiting.webhook_id
            order by d.is_event, d.next_attempt_at limit ${mostCounted}
          ) own limit ${mostCounted}
        ) deliveries)::integer as "queued"
    ),
    overdue as (
      select min(oldest.next_attempt_at) as since
      from receivers r cross join unnest(array[false, true]) kind (is_event)
      cross join lateral (
        select sendable.next_attempt_at from (${sendableDeliveries}) sendable
        where r.takes_events or not kind.is_event
        limit 1
      ) oldest
    )
    select coalesce(extract(epoch from clock_timestamp() - undispatched.since),
                    0)::double precision as "undispatchedSeconds",
      coalesce(extract(epoch from clock_timestamp() - overdue.since), 0)::double precision as "overdueSeconds",
      depth.*, counted.*
    from undispatched, overdue, depth, (
      select count(*) filter (where status = 'active' and failing_since is null)::integer as "active",
        count(*) filter (where status = 'active' and failing_since is not null)::integer as "failing",
        count(*) filter (where status = 'disabled')::integer as "disabled"
      from webhooks where deleted_at is null
    ) counted`)
  if (row === undefined) throw new Error('aggregate returned no row')
  return row
}

/**
 * How far behind the workers are (deliveries to failing webhooks do not count), and how many webhooks are in each
 * state.
 */
export interface WebhookBacklog {
  /** The age of the oldest undispatched event; 0 if there is none. */
  undispatchedSeconds: number
  /**
   * How long the oldest overdue delivery has waited; 0 if there is none. Counts only due deliveries that no worker is
   * sending and whose webhook is not failing.
   */
  overdueSeconds: number
  /** How many events are undispatched, and how many deliveries have not ended; 10,000 if there are more. */
  undispatched: number
  queued: number
  /** The number of webhooks that are active and not failing, active and failing, and disabled. */
  active: number
  failing: number
  disabled: number
}

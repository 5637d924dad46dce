import type { Queryable } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import { isFree, webhooksWaiting } from './leases.store.ts'
import type { WebhookBacklog } from './measures.ts'
import { partnersWaiting } from './outbox.store.ts'

/**
 * How far behind the workers of all processes are. Both queues are looked at by stepping through their indexes, so that a
 * backlog of any length costs as little as none. What waits for its webhook's verification, where that is required, is not counted.
 */
export async function readBacklog(
  db: Queryable,
  { requireVerification }: { requireVerification: boolean },
): Promise<WebhookBacklog> {
  const [row] = await db.query<WebhookBacklog>(sql`
    with recursive ${partnersWaiting}, ${webhooksWaiting},
    undispatched as (
      select min(own.occurred_at) as since from partners_waiting cross join lateral (
        select e.occurred_at from events e
        where e.partner_id = partners_waiting.partner_id and e.dispatched_at is null order by e.event_number limit 1
      ) own
    ),
    overdue as (
      select min(own.next_attempt_at) as since
      from webhooks_waiting join webhooks w using (webhook_id) cross join unnest(array[false, true]) kind (is_event)
      cross join lateral (
        select d.next_attempt_at from deliveries d
        where d.webhook_id = w.webhook_id and d.partner_id = w.partner_id and d.status = 'pending' and d.is_event = kind.is_event
          and d.next_attempt_at <= statement_timestamp() and ${isFree}
        order by d.next_attempt_at limit 1
      ) own
      where w.status = 'active' and w.failing_since is null
        and (not kind.is_event or not ${requireVerification}::boolean or w.verification = 'verified')
    )
    select coalesce(extract(epoch from clock_timestamp() - undispatched.since), 0)::double precision as "undispatchedSeconds",
      coalesce(extract(epoch from clock_timestamp() - overdue.since), 0)::double precision as "overdueSeconds",
      counted.*
    from undispatched, overdue, (
      select count(*) filter (where status = 'active' and failing_since is null)::integer as "active",
        count(*) filter (where status = 'active' and failing_since is not null)::integer as "failing",
        count(*) filter (where status = 'disabled')::integer as "disabled"
      from webhooks where deleted_at is null
    ) counted`)
  if (row === undefined) throw new Error('an aggregate gave no row')
  return row
}

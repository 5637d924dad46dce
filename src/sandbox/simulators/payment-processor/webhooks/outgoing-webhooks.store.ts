import type { ProcessorBehaviour } from '../../../../payments/sandbox-processor.ts'
import type { Database, Tx } from '../../../../platform/db/database.ts'
import { sql } from '../../../../platform/db/sql.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A queued event. */
export interface OutgoingWebhook {
  number: string
  eventId: string
  eventType: string
  body: string
  /** The number of this attempt, from 1. */
  attempt: number
}

/** Queues an event with the delay that the partner has set. `tx` also makes the change that it reports. */
export async function insertOutgoingWebhook(
  tx: Tx,
  { id, type, partnerId, body }: WebhookEvent,
  { delaySeconds }: ProcessorBehaviour,
): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.outgoing_webhooks (event_id, event_type, partner_id, body, due_at)
      values (${id}, ${type}, ${partnerId ?? null}, ${body},
              statement_timestamp() + ${delaySeconds}::int * interval '1 second')`)
}

/** Leases the next due webhook for longer than an attempt can last, so that other workers get a different one. */
export async function claimOutgoingWebhook(db: Database): Promise<OutgoingWebhook | undefined> {
  const [row] = await db.query<OutgoingWebhook>(sql`
    update simulated_processor.outgoing_webhooks
       set leased_until = clock_timestamp() + interval '15 seconds', attempt_count = attempt_count + 1
     where number = (
       select number from simulated_processor.outgoing_webhooks
        where due_at <= clock_timestamp() and coalesce(leased_until <= clock_timestamp(), true)
        order by due_at, number limit 1 for update skip locked)
    returning number::text, event_id as "eventId", event_type as "eventType", body, attempt_count as attempt`)
  return row
}

/** Milliseconds until the next webhook is due, at least 0; undefined if the queue is empty. */
export async function findMillisecondsUntilDue(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(sql`
    select ceil(1000 * extract(epoch from min(greatest(due_at, leased_until)) - clock_timestamp()))::int as ms
      from simulated_processor.outgoing_webhooks`)
  // Not done with SQL's greatest(0, …): it ignores nulls, so an empty queue would always seem to be due.
  const ms = row?.ms ?? undefined
  return ms === undefined ? undefined : Math.max(0, ms)
}

export async function deleteOutgoingWebhook(db: Database, number: string): Promise<void> {
  await db.query(sql`delete from simulated_processor.outgoing_webhooks where number = ${number}`)
}

/** Returns a leased webhook to the queue, due again after the pause. */
export async function updateOutgoingWebhook(
  db: Database,
  number: string,
  { pauseMs, attempts }: { pauseMs: number; attempts: number },
): Promise<void> {
  await db.query(sql`
    update simulated_processor.outgoing_webhooks
       set leased_until = null, attempt_count = ${attempts},
           due_at = greatest(due_at, clock_timestamp() + ${pauseMs}::int * interval '1 millisecond')
     where number = ${number}`)
}

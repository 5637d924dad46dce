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

/** The next due webhook; undefined if none is due. */
export async function findDueWebhook(db: Database): Promise<OutgoingWebhook | undefined> {
  const [row] = await db.query<OutgoingWebhook>(sql`
    select number::text, event_id as "eventId", event_type as "eventType", body, attempt_count + 1 as attempt
      from simulated_processor.outgoing_webhooks where due_at <= clock_timestamp() order by due_at, number limit 1`)
  return row
}

/** Milliseconds until the next webhook is due, at least 0; undefined if the queue is empty. */
export async function findMillisecondsUntilDue(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(sql`
    select ceil(1000 * extract(epoch from min(due_at) - clock_timestamp()))::int as ms
      from simulated_processor.outgoing_webhooks`)
  // Not done with SQL's greatest(0, …): it ignores nulls, so an empty queue would always seem to be due.
  const ms = row?.ms ?? undefined
  return ms === undefined ? undefined : Math.max(0, ms)
}

export async function deleteOutgoingWebhook(db: Database, number: string): Promise<void> {
  await db.query(sql`delete from simulated_processor.outgoing_webhooks where number = ${number}`)
}

/** Notes a failed attempt, and makes the webhook due again after the pause. */
export async function updateOutgoingWebhook(
  db: Database,
  { number, attempt }: OutgoingWebhook,
  pauseMs: number,
): Promise<void> {
  await db.query(sql`
    update simulated_processor.outgoing_webhooks
       set attempt_count = ${attempt}, due_at = clock_timestamp() + ${pauseMs}::int * interval '1 millisecond'
     where number = ${number}`)
}

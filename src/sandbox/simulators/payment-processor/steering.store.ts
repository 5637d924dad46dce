import { defaultProcessorBehaviour, type ProcessorBehaviour } from '../../../payments/sandbox-processor.ts'
import type { Database, Queryable, Tx } from '../../../platform/db/database.ts'
import { empty, sql } from '../../../platform/db/sql.ts'
import type { WebhookEvent } from './webhooks/webhook-event.ts'

/** The simulator behaviour that this partner has chosen, or the default. */
export async function findProcessorBehaviour(db: Queryable, partnerId: string): Promise<ProcessorBehaviour> {
  const [row] = await db.query<ProcessorBehaviour>(sql`
    select delay_seconds as "delaySeconds", lost, down from simulated_processor.steering where partner_id = ${partnerId}`)
  return row ?? defaultProcessorBehaviour
}

/**
 * Changes only the given settings, so two concurrent changes of different settings both take effect. A repeated request
 * writes nothing.
 */
export async function upsertProcessorBehaviour(
  db: Database,
  partnerId: string,
  change: Partial<ProcessorBehaviour>,
): Promise<ProcessorBehaviour> {
  const first = { ...defaultProcessorBehaviour, ...change }
  const { delaySeconds = null, lost = null, down = null } = change
  await db.query(sql`
    insert into simulated_processor.steering as s (partner_id, delay_seconds, lost, down)
    values (${partnerId}, ${first.delaySeconds}, ${first.lost}, ${first.down})
    on conflict (partner_id) do update
       set delay_seconds = coalesce(${delaySeconds}, s.delay_seconds), lost = coalesce(${lost}, s.lost),
           down = coalesce(${down}, s.down)
     where (coalesce(${delaySeconds}, s.delay_seconds), coalesce(${lost}, s.lost), coalesce(${down}, s.down))
           is distinct from (s.delay_seconds, s.lost, s.down)`)
  return findProcessorBehaviour(db, partnerId)
}

/** Whether the processor is set to be down for the named partner or for the owner of one of these objects. */
export async function isProcessorDownFor(
  db: Queryable,
  call: { partnerId: string | undefined; objectIds: readonly string[] },
): Promise<boolean> {
  const rows = await db.query(sql`
    select from simulated_processor.steering where down and partner_id in (
      select ${call.partnerId ?? null}::text
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.customers
       where id = any(${call.objectIds})
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.setup_intents
       where id = any(${call.objectIds})
      union all
      select object #>> '{metadata,housebill_partner_id}' from simulated_processor.payment_intents
       where id = any(${call.objectIds}))`)
  return rows.length > 0
}

/** Selects the events to list, newest first and at most `limit` of them. Times are in Unix seconds. */
export interface EventQuery {
  /** Undefined selects all types. */
  types: readonly string[] | undefined
  from: number | undefined
  /** Exclusive: selects only events before this second. */
  until: number | undefined
  /** The position of the last event on the previous page. */
  startingAfter: { happenedAt: number; number: string } | undefined
  limit: number
}

/** Stores an event in the same transaction as the change that it reports. */
export async function insertEvent(tx: Tx, { id, type, happenedAt, body }: WebhookEvent): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.events (id, type, happened_at, body)
      values (${id}, ${type}, ${happenedAt}, ${body})`)
}

/** Deletes a batch of the events older than 30 days, which is how long a processor keeps them. */
export async function deleteOldEvents(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from simulated_processor.events where number in (
      select number from simulated_processor.events
      where happened_at < extract(epoch from now() - interval '30 days')::bigint order by happened_at
        limit 20 for update skip locked)`)
}

/** An event's position in the list; undefined if there is no such event. */
export async function findEventPosition(
  db: Queryable,
  id: string,
): Promise<{ happenedAt: number; number: string } | undefined> {
  const [row] = await db.query<{ happenedAt: number; number: string }>(sql`
    select happened_at::int as "happenedAt", number::text from simulated_processor.events where id = ${id}`)
  return row
}

/** Lists events, in the form in which webhooks send them. */
export async function listEvents(db: Queryable, query: EventQuery): Promise<object[]> {
  const { types, from, until, startingAfter, limit } = query
  const rows = await db.query<{ body: string }>(sql`
    select body from simulated_processor.events
     where true
     ${types === undefined ? empty : sql`and type = any(${types})`}
     ${from === undefined ? empty : sql`and happened_at >= ${from}`}
     ${until === undefined ? empty : sql`and happened_at < ${until}`}
     ${
       startingAfter === undefined
         ? empty
         : sql`and (happened_at, number)
                   < (${startingAfter.happenedAt}, ${startingAfter.number}::bigint)`
     }
     order by happened_at desc, number desc limit ${limit}`)
  return rows.map(({ body }) => JSON.parse(body) as object)
}

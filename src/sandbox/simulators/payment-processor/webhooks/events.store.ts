import type { Queryable, Tx } from '../../../../platform/db/database.ts'
import { empty, sql } from '../../../../platform/db/sql.ts'
import type { WebhookEvent } from './webhook-event.ts'

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
    insert into simulated_processor.events (id, type, happened_at, body) values (${id}, ${type}, ${happenedAt}, ${body})`)
}

/** Deletes a batch of the events older than 30 days, which is how long a processor keeps them. */
export async function deleteOldEvents(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from simulated_processor.events where number in (
      select number from simulated_processor.events
      where happened_at < extract(epoch from now()) - 30 * 86400 order by happened_at limit 20 for update skip locked)`)
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
     ${startingAfter === undefined ? empty : sql`and (happened_at, number) < (${startingAfter.happenedAt}, ${startingAfter.number}::bigint)`}
     order by happened_at desc, number desc limit ${limit}`)
  return rows.map(({ body }) => JSON.parse(body) as object)
}

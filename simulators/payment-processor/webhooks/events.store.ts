import type { Queryable, Tx } from '../../../src/db/database.ts'
import { empty, sql } from '../../../src/db/sql.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** Which events to list: newest first, at most `most` of them. Times in Unix seconds. */
export interface EventQuery {
  /** Undefined: all types. */
  types: readonly string[] | undefined
  from: number | undefined
  /** Exclusive. */
  until: number | undefined
  /** The event before the first one on the page. */
  startingAfter: { happenedAt: number; number: string } | undefined
  most: number
}

/** Stores an event in the transaction of its change. */
export async function insertEvent(tx: Tx, { id, type, happenedAt, body }: WebhookEvent): Promise<void> {
  await tx.query(sql`
    insert into simulated_processor.events (id, type, happened_at, body) values (${id}, ${type}, ${happenedAt}, ${body})`)
}

/** Deletes some events older than 30 days, which is how long a processor keeps them. */
export async function deleteOldEvents(tx: Tx): Promise<void> {
  await tx.query(sql`
    delete from simulated_processor.events where number in (
      select number from simulated_processor.events
      where happened_at < extract(epoch from now()) - 30 * 86400 order by happened_at limit 20 for update skip locked)`)
}

/** An event's position in the list. */
export async function findEventPlace(
  db: Queryable,
  id: string,
): Promise<{ happenedAt: number; number: string } | undefined> {
  const [row] = await db.query<{ happenedAt: number; number: string }>(sql`
    select happened_at::int as "happenedAt", number::text from simulated_processor.events where id = ${id}`)
  return row
}

/** The events as sent in webhooks. */
export async function listEvents(db: Queryable, question: EventQuery): Promise<object[]> {
  const { types, from, until, startingAfter, most } = question
  const rows = await db.query<{ body: string }>(sql`
    select body from simulated_processor.events
     where true
     ${types === undefined ? empty : sql`and type = any(${types})`}
     ${from === undefined ? empty : sql`and happened_at >= ${from}`}
     ${until === undefined ? empty : sql`and happened_at < ${until}`}
     ${startingAfter === undefined ? empty : sql`and (happened_at, number) < (${startingAfter.happenedAt}, ${startingAfter.number}::bigint)`}
     order by happened_at desc, number desc limit ${most}`)
  return rows.map(({ body }) => JSON.parse(body) as object)
}

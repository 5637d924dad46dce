import type { Tx } from '../../db/database.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { newId } from '../../kernel/ids.ts'
import { type DomainEvent, eventPayload, quoteOf } from './event.ts'

/** Whose event it is; every `Caller` is one. */
export interface EventOwner {
  partnerId: string
}

/**
 * Writes the event into the outbox, in the transaction of the change it tells of: both are committed, or neither.
 *
 * For an event of a quote the transaction must hold the lock on the quote's row (or have inserted it): events of one quote are
 * then numbered in the order in which they became true, and their first deliveries go out in that order. An event about no quote
 * needs no lock, and is delivered in no particular order.
 *
 * Its time is the database's clock at the moment of writing, real time also where the partner's sandbox clock runs
 * ahead (docs/api-behaviour.md#environments), one clock for all processes, rising with the order of a quote's events.
 */
export function recordEvent(tx: Tx, owner: EventOwner, event: DomainEvent): Promise<void> {
  return recordEvents(tx, owner, [event])
}

/** As recordEvent, for several events that became true one after the other; at least one. */
export async function recordEvents(tx: Tx, owner: EventOwner, events: readonly DomainEvent[]): Promise<void> {
  await tx.query(eventInsertSql(owner, events))
  tx.wakeAfterCommit('events')
}

/**
 * The statement that writes events, for use as a data-modifying CTE of the change's own statement, which saves a round
 * trip. `after` names the CTE that makes the change and locks the quote's row, e.g. sql`moved_quote`: the events are
 * written once it has given a row, and not at all if it gives none. Without `after` the order of sibling CTEs is open,
 * so an event could be numbered before its quote is locked: leave it out only for a quote made by the same statement, or for
 * an event about no quote.
 */
export function eventInsertSql(owner: EventOwner, events: readonly DomainEvent[], after?: Sql): Sql {
  const onlyAfter = after === undefined ? empty : sql`where exists (select from ${after})`
  return sql`
    insert into events (event_id, partner_id, quote_id, type, data)
    select given.event_id, ${owner.partnerId}, given.quote_id, given.type, given.data
    from unnest(
      ${events.map(() => newId('event'))}::text[],
      ${events.map(quoteOf)}::text[],
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => JSON.stringify(eventPayload(event)))}::json[]
    ) with ordinality as given (event_id, quote_id, type, data, place)
    ${onlyAfter}
    order by given.place`
}

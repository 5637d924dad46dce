import type { Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { type Id, newId } from '../../kernel/ids.ts'
import { type DomainEvent, eventPayload, quoteOf } from './event.ts'

/** The partner an event belongs to; every `Caller` is one. */
export interface EventOwner {
  partnerId: Id<'partner'>
}

/**
 * Writes the event into the outbox, in the transaction of the change it reports: both are committed, or neither.
 *
 * For an event of a quote, the transaction must hold the lock on the quote's row (or have inserted it). Events of one quote are
 * then numbered in the order in which they became true, and first sent in that order. An event about no quote needs no lock, and
 * is delivered in no particular order.
 *
 * The event's time is the database's clock, which all processes share: real time even if the partner's sandbox clock runs ahead
 * (docs/api-behaviour.md#environments).
 */
export function recordEvent(tx: Tx, owner: EventOwner, event: DomainEvent): Promise<void> {
  return recordEvents(tx, owner, [event])
}

/** Records several events that became true one after the other; at least one. */
export async function recordEvents(tx: Tx, owner: EventOwner, events: readonly DomainEvent[]): Promise<void> {
  await tx.query(sql`
    insert into events (event_id, partner_id, quote_id, type, data)
    select given.event_id, ${owner.partnerId}, given.quote_id, given.type, given.data
    from unnest(
      ${events.map(() => newId('event'))}::text[],
      ${events.map(quoteOf)}::text[],
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => JSON.stringify(eventPayload(event)))}::json[]
    ) with ordinality as given (event_id, quote_id, type, data, place)
    order by given.place`)
  tx.wakeAfterCommit('events')
}

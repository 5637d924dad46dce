import type { Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { type Id, newId } from '../platform/kernel/ids.ts'
import { currentTraceparent } from '../platform/kernel/request-context.ts'
import { type DomainEvent, eventPayload, quoteIdOf } from './event.ts'

/** The partner to which an event belongs; every `Caller` is an `EventOwner`. */
export interface EventOwner {
  partnerId: Id<'partner'>
}

/**
 * Writes the event into the outbox in the same transaction as the change that it reports, so that either both are
 * committed or neither is.
 *
 * For an event of a quote, the transaction must hold the quote's row lock (or have inserted it). Events of one
 * quote are then numbered in the order in which they happened, and their first attempts are made in that order. An
 * event that is not about a quote needs no lock and is delivered in no particular order.
 *
 * The event's time comes from the database's clock, which all processes share. It is real time even if the partner's
 * sandbox clock runs ahead (docs/api-behaviour.md#environments).
 */
export function recordEvent(tx: Tx, owner: EventOwner, event: DomainEvent): Promise<void> {
  return recordEvents(tx, owner, [event])
}

/** Records one or more events, in the order in which they happened. */
export async function recordEvents(tx: Tx, owner: EventOwner, events: readonly DomainEvent[]): Promise<void> {
  await tx.query(sql`
    insert into events (event_id, partner_id, quote_id, type, data, traceparent)
    select given.event_id, ${owner.partnerId}, given.quote_id, given.type, given.data, ${currentTraceparent() ?? null}
    from unnest(
      ${events.map(() => newId('event'))}::text[],
      ${events.map(quoteIdOf)}::text[],
      ${events.map((event) => event.type)}::text[],
      ${events.map((event) => JSON.stringify(eventPayload(event, null)))}::json[]
    ) with ordinality as given (event_id, quote_id, type, data, ordinal)
    order by given.ordinal`)
  tx.wakeAfterCommit('events')
}

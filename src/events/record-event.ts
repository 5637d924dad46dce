import type { Tx } from '../platform/db/database.ts'
import { type Id, newId } from '../platform/kernel/ids.ts'
import { currentTraceparent } from '../platform/kernel/request-context.ts'
import { type DomainEvent, eventPayload, noLabels, quoteIdOf } from './event.ts'
import { insertEvents } from './outbox.store.ts'

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
  const stored = events.map((event) => ({
    ...{ eventId: newId('event'), quoteId: quoteIdOf(event), type: event.type },
    payload: eventPayload(event, noLabels),
  }))
  await insertEvents(tx, owner.partnerId, stored, currentTraceparent() ?? null)
  tx.wakeAfterCommit('events')
}

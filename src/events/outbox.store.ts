import type { Tx } from '../platform/db/database.ts'
import { type Sql, sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** An event as it is stored. `payload` is what deliveries contain, but for the partner's reference of the quote. */
export interface NewEvent {
  eventId: Id<'event'>
  quoteId: string | null
  type: string
  payload: unknown
}

/** Adds events to the outbox, in this order. */
export async function insertEvents(
  tx: Tx,
  partnerId: Id<'partner'>,
  events: readonly NewEvent[],
  traceparent: string | null,
): Promise<void> {
  await tx.query(sql`
    insert into events (event_id, partner_id, quote_id, type, data, traceparent)
    select given.event_id, ${partnerId}, given.quote_id, given.type, given.data, ${traceparent}
    from unnest(
      ${events.map(({ eventId }) => eventId)}::text[],
      ${events.map(({ quoteId }) => quoteId)}::text[],
      ${events.map(({ type }) => type)}::text[],
      ${events.map(({ payload }) => JSON.stringify(payload))}::json[]
    ) with ordinality as given (event_id, quote_id, type, data, ordinal)
    order by given.ordinal`)
}

/** The part of the dispatching statement that gives the events in `numbered` their positions, and returns them. */
export const positioningEvents: Sql = sql`
  update events e set dispatched_at = clock_timestamp(), position = numbered.position
    from numbered where e.partner_id = numbered.partner_id and e.event_id = numbered.event_id
  returning e.*`

/** The part of a statement that deletes the partner's events of `old` that are not in `kept`. */
export function deletingEvents(partnerId: string): Sql {
  return sql`
    delete from events
     where event_id = any(array(select event_id from old except select event_id from kept)) and partner_id = ${partnerId}
    returning 1`
}

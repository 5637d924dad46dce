import type { Id } from '../../kernel/ids.ts'
import type { DomainEvent, EventType } from '../events/event.ts'

/** A dispatched event, as a partner can read it. */
export interface LoggedEvent {
  eventId: Id<'event'>
  /** Null for an event that is not about a quote. */
  quoteId: Id<'quote'> | null
  type: EventType
  /** In real time, even if the partner's sandbox clock runs ahead. */
  occurredAt: Date
  data: DomainEvent['data']
  /** The place in the order of dispatch, which is final: no later event gets a lower position. */
  position: string
}

/** Which events to list. */
export interface EventFilter {
  types: readonly EventType[]
  quoteId: string | undefined
  /** At or after this time. A string keeps microseconds. */
  createdAfter: Date | string | undefined
  /** Before this time. */
  createdBefore: Date | undefined
}

/** `newest` first, for reading; `oldest` first, for following what happens. */
export type EventOrder = 'newest' | 'oldest'

/** A place in the list of events: after this position, in this order. */
export interface EventCursor {
  order: EventOrder
  position: string
}

import type { DomainEvent, EventType, QuoteLabels } from '../../events/event.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { openLabels, type StoredLabels } from '../delivery/delivery-body.store.ts'

/** An event's position in the order of dispatch. */
export interface EventPosition {
  eventId: Id<'event'>
  /**
   * The order is final: no event dispatched later gets a lower position. Positions count the events of all partners, so
   * never show them to a partner.
   */
  position: string
}

/** A dispatched event, in the form in which a partner can read it. */
export interface LoggedEvent extends EventPosition {
  /** The quote that the event is about; null if it is not about a quote. */
  quoteId: Id<'quote'> | null
  type: EventType
  /** The real time of the event, even if the partner's sandbox clock runs ahead. */
  occurredAt: Date
  data: DomainEvent['data'] & QuoteLabels
}

/** An event as it is stored: its data has null in place of the quote's labels. */
export type StoredEvent = LoggedEvent & { labels: StoredLabels }

/** The event with the labels of its quote. */
export function completeEvent<Event extends Omit<StoredEvent, 'position'>>(
  cipher: FieldCipher,
  { labels, ...event }: Event,
) {
  return event.quoteId === null || labels === null
    ? event
    : { ...event, data: { ...event.data, ...openLabels(cipher, event.quoteId, labels) } }
}

/** Which events to list. */
export interface EventFilter {
  types: readonly EventType[]
  quoteId: string | undefined
  /** Only events at or after this time. A string can hold microseconds, but a `Date` cannot. */
  createdAfter: Date | string | undefined
  /** Only events before this time. */
  createdBefore: Date | undefined
}

/**
 * Which events come first: `newest` suits people who look something up, `oldest` suits programs that process every
 * event.
 */
export type EventOrder = 'newest' | 'oldest'

/** Where to continue in the list of events: after this event of the partner, in this order. */
export interface EventCursor {
  order: EventOrder
  /** Null before the partner's first event. */
  after: Id<'event'> | null
}

import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { Id } from '../../kernel/ids.ts'
import type { DomainEvent, EventType, WithReference } from '../events/event.ts'
import { openReference } from '../quotes/references/reference.ts'

/** A dispatched event, in the form in which a partner can read it. */
export interface LoggedEvent {
  eventId: Id<'event'>
  /** The quote that the event is about; null if it is not about a quote. */
  quoteId: Id<'quote'> | null
  type: EventType
  /** The real time of the event, even if the partner's sandbox clock runs ahead. */
  occurredAt: Date
  data: DomainEvent['data'] & WithReference
  /** The position in the order of dispatch. The order is final: no event dispatched later gets a lower position. */
  position: string
}

/** An event as it is stored: its data has null in place of the quote's reference. */
export type StoredEvent = LoggedEvent & { referenceEncrypted: string | null }

/** The event with the reference of its quote. */
export function completeEvent<Event extends Omit<StoredEvent, 'position'>>(
  cipher: FieldCipher,
  { referenceEncrypted, ...event }: Event,
) {
  if (event.quoteId === null || referenceEncrypted === null) return event
  return { ...event, data: { ...event.data, reference: openReference(cipher, event.quoteId, referenceEncrypted) } }
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

/** Which events come first: `newest` suits people who look something up, `oldest` suits programs that process every event. */
export type EventOrder = 'newest' | 'oldest'

/** Where to continue in the list of events: after this position, in this order. */
export interface EventCursor {
  order: EventOrder
  position: string
}

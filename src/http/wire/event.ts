import Type, { type Static, type TProperties } from 'typebox'
import { customerStatuses, paymentStatuses } from '../../domain/customers/customer.ts'
import type { EventCursor, LoggedEvent } from '../../domain/event-log/logged-event.ts'
import type { EventType } from '../../domain/events/event.ts'
import { cursorOf, matchCursor } from './page.ts'
import { QuoteStatusName } from './quote.ts'
import { Id, Text, timestamp } from './values.ts'

const about = {
  quoteId: Id(),
  reference: Type.Union([Text(100), Type.Null()], { description: 'your own id of the quote, where you gave one' }),
}
const ofCustomer = { customerId: Id('also the tenantId'), ...about }
const CustomerStatusName = Type.Enum([...customerStatuses], { type: 'string' })
const PaymentStatusName = Type.Enum([...paymentStatuses], { type: 'string' })

/** The members of `data`, for each type of event: always all of them, in this order, and never personal data. */
export const eventData = {
  'quote.status.changed': {
    ...about,
    previousStatus: Type.Union([QuoteStatusName, Type.Null()], { description: 'null on creation' }),
    status: QuoteStatusName,
  },
  'customer.payment.updated': {
    ...ofCustomer,
    previousPaymentStatus: PaymentStatusName,
    paymentStatus: PaymentStatusName,
  },
  'customer.status.changed': { ...ofCustomer, previousStatus: CustomerStatusName, status: CustomerStatusName },
} as const satisfies Record<EventType, TProperties>

/** What every message has beside its `data`. */
export const envelopeFields = <Name extends string>(type: Name) => ({
  id: Id('of the event; also the webhook-id header of its deliveries'),
  type: Type.Literal(type, { type: 'string' }),
  timestamp: Type.String({ format: 'date-time', maxLength: 35, description: 'when it happened, in real time' }),
})

const closed = { additionalProperties: false }
const eventOf = <Name extends EventType>(type: Name) =>
  Type.Object({ ...envelopeFields(type), data: Type.Object(eventData[type], closed) }, closed)

/** An event as it is read: the very members that are delivered. */
export const EventObject = Type.Union(
  [eventOf('quote.status.changed'), eventOf('customer.payment.updated'), eventOf('customer.status.changed')],
  { description: 'as it is delivered to webhooks' },
)

export function presentEvent({ eventId, type, occurredAt, data }: Omit<LoggedEvent, 'position'>) {
  // Safe: an event's data is of its own type, which the row keeps in two columns.
  return { id: eventId, type, timestamp: timestamp(occurredAt), data } as Static<typeof EventObject>
}

export const EventOrderName = Type.Enum(['newest', 'oldest'], {
  type: 'string',
  description: 'newest first, for reading, which is the default; or oldest first, for following what happens',
})

export function eventCursor(next: EventCursor | null): string | null {
  return cursorOf(next && `${next.order}.${next.position}`)
}

/** Throws `validation_failed` for a cursor this list did not hand out, or not in this order. */
export function placeFromCursor(
  cursor: string | undefined,
  order: EventCursor['order'] | undefined,
): EventCursor | undefined {
  if (cursor === undefined) return undefined
  const pattern = order === undefined ? /^(newest|oldest)\.(\d{1,18})$/ : new RegExp(`^(${order})\\.(\\d{1,18})$`)
  const [, ofCursor, position = ''] = matchCursor(cursor, pattern)
  return { order: ofCursor === 'oldest' ? 'oldest' : 'newest', position }
}

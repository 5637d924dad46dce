import Type, { type TSchema } from 'typebox'
import { customerStatuses, paymentStatuses } from '../../domain/customers/customer.ts'
import type { EventCursor, LoggedEvent } from '../../domain/event-log/logged-event.ts'
import { type DomainEvent, type EventData, type EventType, eventTypes } from '../../domain/events/event.ts'
import { encodeCursor, matchCursor } from './page.ts'
import { QuoteStatusName } from './quote.ts'
import { Id, Text, timestamp } from './values.ts'

const about = {
  quoteId: Id(),
  reference: Type.Union([Text(100), Type.Null()], {
    description: 'Your own id for the quote; null if you did not set one.',
  }),
}
const ofCustomer = { customerId: Id("The customer's id. It is also the tenantId."), ...about }
const CustomerStatusName = Type.Enum([...customerStatuses], { type: 'string' })
const PaymentStatusName = Type.Enum([...paymentStatuses], { type: 'string' })

/** The members of `data` for each event type: always all of them, in this order, and never personal data. */
export const eventData = {
  'quote.status.changed': {
    ...about,
    previousStatus: Type.Union([QuoteStatusName, Type.Null()], {
      description: 'The status before the change; null when the quote is created.',
    }),
    status: QuoteStatusName,
  },
  'customer.payment.updated': {
    ...ofCustomer,
    previousPaymentStatus: PaymentStatusName,
    paymentStatus: PaymentStatusName,
  },
  'customer.status.changed': { ...ofCustomer, previousStatus: CustomerStatusName, status: CustomerStatusName },
} as const satisfies { [Name in EventType]: Record<keyof EventData[Name], TSchema> }

/** The members of every message next to `data`. */
export const envelopeFields = <Name extends string>(type: Name) => ({
  id: Id("The event's id, also sent as the `webhook-id` header of its deliveries."),
  type: Type.Literal(type, { type: 'string' }),
  timestamp: Type.String({
    format: 'date-time',
    maxLength: 35,
    description: 'When the event happened, in real time even if your sandbox clock has been moved.',
  }),
})

const closed = { additionalProperties: false }
const eventOf = <Name extends EventType>(type: Name) =>
  Type.Object({ ...envelopeFields(type), data: Type.Object(eventData[type], closed) }, closed)

interface PresentedEvent {
  id: string
  type: EventType
  timestamp: string
  data: DomainEvent['data']
}

/** An event as the API returns it, identical to what is delivered. */
export const EventObject = Type.Unsafe<PresentedEvent>(
  Type.Union(eventTypes.map(eventOf), { description: 'The event as it is delivered to webhooks.' }),
)

export function presentEvent({ eventId, type, occurredAt, data }: Omit<LoggedEvent, 'position'>): PresentedEvent {
  return { id: eventId, type, timestamp: timestamp(occurredAt), data }
}

export const EventOrderName = Type.Enum(['newest', 'oldest'], {
  type: 'string',
  description:
    '`newest` (the default) returns the newest events first, for browsing. `oldest` returns the oldest first, for following events.',
})

export function eventCursor(next: EventCursor | null): string | null {
  return encodeCursor(next && `${next.order}.${next.position}`)
}

/** Throws `validation_failed` for a cursor of another list or another order. */
export function positionFromCursor(
  cursor: string | undefined,
  order: EventCursor['order'] | undefined,
): EventCursor | undefined {
  if (cursor === undefined) return undefined
  const pattern = order === undefined ? /^(newest|oldest)\.(\d{1,18})$/ : new RegExp(`^(${order})\\.(\\d{1,18})$`)
  const [, ofCursor, position = ''] = matchCursor(cursor, pattern)
  return { order: ofCursor === 'oldest' ? 'oldest' : 'newest', position }
}

import Type, { type TObject, type TProperties, type TSchema } from 'typebox'
import { ContractNumber, ContractStatusName, EndReasonName } from '../contracts/contract.schema.ts'
import { type EventData, type EventType, eventCatalogue, eventTypes } from '../events/event.ts'
import { Choice, described, NamedChoice, Nullable, named, ResponseObject } from '../platform/http/schemas/named.ts'
import { encodeCursor, matchCursor } from '../platform/http/schemas/page.ts'
import { DateOnly, Id, Pence, Text, Timestamp, timestamp } from '../platform/http/schemas/values.ts'
import { ServiceStatusName } from '../quoting/packages/service-status.schema.ts'
import { CustomerStatusName, PaymentStatusName, QuoteStatusName } from '../quoting/quotes/quote.schema.ts'
import type { EventCursor, LoggedEvent } from './event-log/logged-event.ts'

export const EventTypeName = NamedChoice('EventType', eventTypes, 'The type of an event. New types may be added.')

const about = {
  quoteId: Id('The id of the quote.'),
  reference: Nullable(Text(100, 'Your own id for the quote; null if you did not set one.')),
  branch: Nullable(Text(100, 'Your branch that sells the quote; null if you did not say.')),
  soldBy: Nullable(Text(80, 'Who sold the quote; null if you did not say.')),
}
const ofCustomer = { customerId: Id("The customer's id. It is also the tenantId."), ...about }

const reason = Nullable(described(EndReasonName, 'Why the change undid an earlier step; null for an ordinary step.'))

/** The members of `data` for each event type: always all of them, in this order, and never personal data. */
const eventData = {
  'quote.status.changed': {
    ...about,
    previousStatus: Nullable(
      described(QuoteStatusName, 'The status before the change; null when the quote is created.'),
    ),
    status: described(QuoteStatusName, 'The status after the change.'),
    reason,
  },
  'customer.payment.updated': {
    ...ofCustomer,
    previousPaymentStatus: described(PaymentStatusName, 'The payment status before the change.'),
    paymentStatus: described(PaymentStatusName, 'The payment status after the change.'),
  },
  'customer.status.changed': {
    ...ofCustomer,
    previousStatus: described(CustomerStatusName, 'The status before the change.'),
    status: described(CustomerStatusName, 'The status after the change.'),
    reason,
  },
  'customer.contract.changed': {
    ...ofCustomer,
    contractNumber: ContractNumber,
    previousStatus: Nullable(described(ContractStatusName, 'The status before the change; null for a new contract.')),
    status: described(ContractStatusName, 'The status after the change.'),
    reason,
  },
  'customer.contract.ending': {
    ...ofCustomer,
    contractNumber: ContractNumber,
    endsOn: DateOnly('The last day of the contract.'),
    reason: Nullable(described(EndReasonName, 'Why it ends early; null if it ends as agreed.')),
    confirmationWanted: Type.Boolean({
      description:
        'True if the tenant gave a reason for which no fee is due: say whether it is true with `POST /Customers/{id}/confirm-end-reason`.',
    }),
  },
  'customer.service.changed': {
    ...ofCustomer,
    serviceId: Id('The id of the service, as `GET /Customers/{id}` shows it.'),
    previousStatus: described(ServiceStatusName, 'The status before the change.'),
    status: described(ServiceStatusName, 'The status after the change.'),
  },
  'quote.prices.updated': {
    ...about,
    previousMonthlyCost: Pence("The household's monthly cost before the change, in pence."),
    monthlyCost: Pence("The household's monthly cost after the change, in pence."),
    previousTotalCost: Pence("The household's total cost before the change, in pence."),
    totalCost: Pence("The household's total cost after the change, in pence."),
  },
} as const satisfies { [Name in EventType]: Record<keyof EventData[Name], TSchema> }

/** The members of every message next to `data`. */
const envelopeFields = <Name extends string>(type: Name) => ({
  id: Id("The message's id, also sent as the `webhook-id` header of its deliveries."),
  type: Type.Unsafe<Name>({ type: 'string', enum: [type], description: 'The type of the message.' }),
  timestamp: Timestamp('When the event happened, in real time even if your sandbox clock has been moved.'),
})

/** The schema's name of a message: `QuoteStatusChanged` for `quote.status.changed`. */
const schemaName = (type: string) => type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** A message as it is delivered and listed. `data` has exactly these members, in this order. */
export function messageSchema(type: string, summary: string, data: TProperties, further: TProperties = {}): TObject {
  const name = schemaName(type)
  const fields = {
    ...envelopeFields(type),
    data: ResponseObject(`${name}Data`, `What a \`${type}\` message says.`, data),
  }
  return named(name, Type.Object({ ...fields, ...further }, { title: type, description: `${summary}.` }))
}

const testMark = {
  test: Type.Optional(
    Type.Literal(true, {
      type: 'boolean',
      description: 'Present only on a test event, whose quote and customer do not exist.',
    }),
  ),
}

/** The schema of each event type, both as it is delivered and as it is listed. */
export const eventSchemas: { readonly [Type in EventType]: TObject } = mapEventTypes((type) =>
  messageSchema(type, eventCatalogue[type].summary, eventData[type], testMark),
)

export interface PresentedEvent {
  id: string
  type: EventType
  timestamp: string
  data: LoggedEvent['data']
}

/** An event as the API returns it, identical to what is delivered. */
export const EventObject = named(
  'Event',
  Type.Unsafe<PresentedEvent>({
    description: 'An event, as it is delivered to webhooks. Ignore types you do not know: new ones may be added.',
    oneOf: Object.values(eventSchemas),
    discriminator: {
      propertyName: 'type',
      mapping: mapEventTypes((type) => `#/components/schemas/${schemaName(type)}`),
    },
  }),
)

export function presentEvent({ eventId, type, occurredAt, data }: Omit<LoggedEvent, 'position'>): PresentedEvent {
  return { id: eventId, type, timestamp: timestamp(occurredAt), data }
}

export const EventOrderName = Choice(
  ['newest', 'oldest'],
  '`newest` (the default) returns the newest events first, for browsing. `oldest` returns the oldest first, for following events.',
)

const beforeFirst = 'start'

/** The cursor names an event of the partner's own. Its position would tell how many events other partners have. */
export function eventCursor(next: EventCursor | null): string | null {
  return encodeCursor(next && `${next.order}.${next.after ?? beforeFirst}`)
}

/** Throws `validation_failed` for a cursor of another list or of another order. */
export function eventCursorFrom(
  cursor: string | undefined,
  order: EventCursor['order'] | undefined,
): EventCursor | undefined {
  if (cursor === undefined) return undefined
  const pattern = new RegExp(`^(${order ?? 'newest|oldest'})\\.(?:event_([0-9a-z]{26})|${beforeFirst})$`)
  const [, ofCursor, suffix] = matchCursor(cursor, pattern)
  return { order: ofCursor === 'oldest' ? 'oldest' : 'newest', after: suffix === undefined ? null : `event_${suffix}` }
}

/** A table with one entry for each event type. */
function mapEventTypes<Value>(toValue: (type: EventType) => Value): { readonly [Type in EventType]: Value } {
  // Safe: `eventTypes` has every type.
  return Object.fromEntries(eventTypes.map((type) => [type, toValue(type)])) as { [Type in EventType]: Value }
}

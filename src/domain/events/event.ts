import type { Id } from '../../kernel/ids.ts'
import type { CustomerStatus, PaymentStatus } from '../customers/customer.ts'
import type { QuoteStatus } from '../quotes/quote.ts'

/** A quote's status changed. */
export interface QuoteStatusChanged {
  quoteId: Id<'quote'>
  /** The partner's own id for the quote, if it gave one. */
  reference: string | null
  /** The status before the change; null for a new quote. */
  previousStatus: QuoteStatus | null
  status: QuoteStatus
}

/** A customer's payment information or status changed. If only other information changed, both statuses are the same. */
export interface CustomerPaymentUpdated {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  reference: string | null
  previousPaymentStatus: PaymentStatus
  paymentStatus: PaymentStatus
}

/** A customer's status changed. */
export interface CustomerStatusChanged {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  reference: string | null
  previousStatus: CustomerStatus
  status: CustomerStatus
}

/** The data of each event type. An event that is not about a quote has no `quoteId`. */
export interface EventData {
  'quote.status.changed': QuoteStatusChanged
  'customer.payment.updated': CustomerPaymentUpdated
  'customer.status.changed': CustomerStatusChanged
}

export type EventType = keyof EventData

/**
 * Every event that we send to partners, as a closed union. Payloads contain ids and statuses, never personal data. Members are sent
 * in the order of the examples below (docs/api-behaviour.md#webhooks).
 */
export type DomainEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType]

/** The documentation of an event type; see docs/adding-an-event.md. */
interface EventDescription<Data> {
  /** Describes what happened, for the console and the API document. */
  summary: string
  /** Example data with every member, in the order in which members are sent. */
  example: Required<Data>
}

const aboutQuote = { quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax', reference: 'my-ref-1' } as const
const aboutCustomer = { customerId: 'tenant_01m7w4kmmpf2288994r3wsyr86', ...aboutQuote } as const

/** The events to which a partner can subscribe, in the order in which the specification lists them. */
export const eventCatalogue: { readonly [Type in EventType]: EventDescription<EventData[Type]> } = {
  'quote.status.changed': {
    summary: "A quote's status changed",
    example: { ...aboutQuote, previousStatus: 'PackagesSelected', status: 'TenantsAdded' },
  },
  'customer.payment.updated': {
    summary: "A customer's payment information or status changed",
    example: { ...aboutCustomer, previousPaymentStatus: 'setup_started', paymentStatus: 'ready' },
  },
  'customer.status.changed': {
    summary: "A customer's status changed",
    example: { ...aboutCustomer, previousStatus: 'active', status: 'PersonalInfoComplete' },
  },
}

export const eventTypes = Object.keys(eventCatalogue) as readonly EventType[]

/** The payload of an event. It has exactly the documented members, in order, even if the given object contains others. */
export function eventPayload({ type, data }: DomainEvent): DomainEvent['data'] {
  const given: Record<string, unknown> = { ...data }
  const members = Object.keys(eventCatalogue[type].example).map((name) => [name, given[name]])
  // This cast is safe, because these are the members of this type's data.
  return Object.fromEntries(members) as DomainEvent['data']
}

/** The id of the quote that the event is about; null if it is not about a quote. Events of the same quote are sent in order. */
export function quoteIdOf({ data }: DomainEvent): string | null {
  return 'quoteId' in data ? data.quoteId : null
}

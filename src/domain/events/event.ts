import type { CustomerStatus, PaymentStatus } from '../customers/customer.ts'
import type { QuoteStatus } from '../quotes/quote.ts'

/** A quote's status changed. */
export interface QuoteStatusChanged {
  quoteId: string
  /** The partner's own id for the quote, where one was given. */
  reference: string | null
  /** Null on creation. */
  previousStatus: QuoteStatus | null
  status: QuoteStatus
}

/** A customer's payment status changed. */
export interface CustomerPaymentUpdated {
  customerId: string
  quoteId: string
  reference: string | null
  previousPaymentStatus: PaymentStatus
  paymentStatus: PaymentStatus
}

/** A customer's status changed. */
export interface CustomerStatusChanged {
  customerId: string
  quoteId: string
  reference: string | null
  previousStatus: CustomerStatus
  status: CustomerStatus
}

/** The data of each type of event. `quoteId` may be left out of an event that is about no quote. */
export interface EventData {
  'quote.status.changed': QuoteStatusChanged
  'customer.payment.updated': CustomerPaymentUpdated
  'customer.status.changed': CustomerStatusChanged
}

export type EventType = keyof EventData

/**
 * Every event we send partners, as a closed union. Payloads hold ids and statuses, never personal data. Members are
 * delivered in the order of their example below (docs/api-behaviour.md#webhooks).
 */
export type DomainEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType]

/** What is said about a type of event; see docs/adding-an-event.md. */
interface EventDescription<Data> {
  /** What happened, as the API document and the console say it. */
  summary: string
  /** All members of the data, in the order in which they are delivered. */
  example: Required<Data>
}

const aboutQuote = { quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax', reference: 'my-ref-1' }
const aboutCustomer = { customerId: 'tenant_01m7w4kmmpf2288994r3wsyr86', ...aboutQuote }

/** What a partner can subscribe to (interface: Events), in the order the specification lists them. */
export const eventCatalogue: { readonly [Type in EventType]: EventDescription<EventData[Type]> } = {
  'quote.status.changed': {
    summary: "A quote's status changed",
    example: { ...aboutQuote, previousStatus: 'PackagesSelected', status: 'TenantsAdded' },
  },
  'customer.payment.updated': {
    summary: "A customer's payment status changed",
    example: { ...aboutCustomer, previousPaymentStatus: 'setup_started', paymentStatus: 'ready' },
  },
  'customer.status.changed': {
    summary: "A customer's status changed",
    example: { ...aboutCustomer, previousStatus: 'active', status: 'PersonalInfoComplete' },
  },
}

export const eventTypes = Object.keys(eventCatalogue) as readonly EventType[]

/** The payload with exactly its documented members, in their order, whatever else the given object carries. */
export function eventPayload({ type, data }: DomainEvent): DomainEvent['data'] {
  const given: Record<string, unknown> = { ...data }
  const members = Object.keys(eventCatalogue[type].example).map((name) => [name, given[name]])
  // Safe: these are the members of this type's data.
  return Object.fromEntries(members) as DomainEvent['data']
}

/** The quote whose events it is in order with; null for an event about no quote, which is in no order. */
export function quoteOf({ data }: DomainEvent): string | null {
  return 'quoteId' in data ? data.quoteId : null
}

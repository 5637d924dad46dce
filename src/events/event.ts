import type { ContractStatus, EndReason } from '../contracts/contract.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Pence } from '../platform/kernel/money.ts'
import type { ServiceStatus } from '../quoting/packages/service-status.ts'
import type { QuoteStatus } from '../quoting/quotes/quote.ts'
import type { CustomerStatus, PaymentStatus } from '../quoting/tenants/customer.ts'

/** A quote's status changed. */
interface QuoteStatusChanged {
  quoteId: Id<'quote'>
  /** The status before the change; null for a new quote. */
  previousStatus: QuoteStatus | null
  status: QuoteStatus
  /** Why the quote moved back or ended; null for an ordinary step. */
  reason: EndReason | null
}

/**
 * A customer's payment information or status changed. If only other information changed, both statuses are the same.
 */
interface CustomerPaymentUpdated {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  previousPaymentStatus: PaymentStatus
  paymentStatus: PaymentStatus
}

/** A customer's status changed. */
interface CustomerStatusChanged {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  previousStatus: CustomerStatus
  status: CustomerStatus
  /** Why the customer moved back; null for an ordinary step. */
  reason: EndReason | null
}

/** A customer's contract changed. */
interface CustomerContractChanged {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  contractNumber: string
  /** The status before the change; null for a new contract. */
  previousStatus: ContractStatus | null
  status: ContractStatus
  /** Why the contract ended or never took effect; null otherwise. */
  reason: EndReason | null
}

/** A contract in force has 45 or 30 days left, counted to its last day, or an early end was set. */
interface CustomerContractEnding {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  contractNumber: string
  /** The last day of the contract. */
  endsOn: IsoDate
  /** Why it ends early; null if it ends as agreed. */
  reason: EndReason | null
  /** Whether the partner is asked if the tenant's reason is true: POST /Customers/{id}/confirm-end-reason. */
  confirmationWanted: boolean
}

/** The status of a service changed, as the operator reported it. */
interface CustomerServiceChanged {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  serviceId: string
  previousStatus: ServiceStatus
  status: ServiceStatus
}

/** The prices of an expired quote were renewed. Costs are the household's, in pence. */
interface QuotePricesUpdated {
  quoteId: Id<'quote'>
  previousMonthlyCost: Pence
  monthlyCost: Pence
  previousTotalCost: Pence
  totalCost: Pence
}

/** The data of each event type. An event that is not about a quote has no `quoteId`. */
export interface EventData {
  'quote.status.changed': QuoteStatusChanged
  'customer.payment.updated': CustomerPaymentUpdated
  'customer.status.changed': CustomerStatusChanged
  'customer.contract.changed': CustomerContractChanged
  'customer.contract.ending': CustomerContractEnding
  'customer.service.changed': CustomerServiceChanged
  'quote.prices.updated': QuotePricesUpdated
}

export type EventType = keyof EventData

/**
 * Every event that we send to partners, as a closed union. Payloads contain ids and statuses, never personal data.
 * Members are sent in the order of the examples below.
 */
export type DomainEvent = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType]

/**
 * What the partner calls the quote and who sold it; null for what it did not say. Stored with the quote only, and put in
 * when an event is read or sent, so that an event says what the quote says then.
 */
export interface QuoteLabels {
  /** The partner's own id. */
  reference: string | null
  branch: string | null
  soldBy: string | null
}

/** The labels of an event before they are put in, and of an event that is about no quote. */
export const noLabels: QuoteLabels = { reference: null, branch: null, soldBy: null }

/** The documentation of an event type; see contributing/common-changes.md. */
interface EventDescription<Data> {
  /** Describes what happened, for pages and the API document. */
  summary: string
  /** Example data with every member, in the order in which members are sent. */
  example: Required<Data> & (Data extends { quoteId: unknown } ? QuoteLabels : unknown)
}

const aboutQuote = {
  quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax',
  reference: 'my-ref-1',
  branch: 'Norwich',
  soldBy: 'Kim Lee',
} as const
const aboutCustomer = { customerId: 'tenant_01m7w4kmmpf2288994r3wsyr86', ...aboutQuote } as const

/** The events to which a partner can subscribe: the specification's three in its order, then ours. */
export const eventCatalogue: { readonly [Type in EventType]: EventDescription<EventData[Type]> } = {
  'quote.status.changed': {
    summary: "A quote's status changed",
    example: { ...aboutQuote, previousStatus: 'PackagesSelected', status: 'TenantsAdded', reason: null },
  },
  'customer.payment.updated': {
    summary: "A customer's payment information or status changed",
    example: { ...aboutCustomer, previousPaymentStatus: 'setup_started', paymentStatus: 'ready' },
  },
  'customer.status.changed': {
    summary: "A customer's status changed",
    example: { ...aboutCustomer, previousStatus: 'active', status: 'PersonalInfoComplete', reason: null },
  },
  'customer.contract.changed': {
    summary: "A customer's contract changed",
    example: {
      ...aboutCustomer,
      contractNumber: '4821-7730-9150',
      previousStatus: 'agreed',
      status: 'in_force',
      reason: null,
    },
  },
  'customer.contract.ending': {
    summary: "A customer's contract ends in 45 or 30 days, or an early end was set",
    example: {
      ...aboutCustomer,
      contractNumber: '4821-7730-9150',
      endsOn: '2028-01-31' as IsoDate,
      reason: null,
      confirmationWanted: false,
    },
  },
  'customer.service.changed': {
    summary: "The status of a customer's service changed",
    example: { ...aboutCustomer, serviceId: 'electricity-standard', previousStatus: 'requested', status: 'active' },
  },
  'quote.prices.updated': {
    summary: 'The prices of an expired quote were renewed',
    example: {
      ...aboutQuote,
      previousMonthlyCost: 17_646 as Pence,
      monthlyCost: 17_903 as Pence,
      previousTotalCost: 212_758 as Pence,
      totalCost: 215_842 as Pence,
    },
  },
}

export const eventTypes = Object.keys(eventCatalogue) as readonly EventType[]

/**
 * The payload of an event, with these labels of its quote. It has exactly the documented members, in order, even if the given
 * object contains others.
 */
export function eventPayload({ type, data }: DomainEvent, labels: QuoteLabels): DomainEvent['data'] & QuoteLabels {
  const given: Record<string, unknown> = { ...data, ...labels }
  const members = Object.keys(eventCatalogue[type].example).map((name) => [name, given[name]])
  // This cast is safe, because these are the members of this type's data.
  return Object.fromEntries(members) as DomainEvent['data'] & QuoteLabels
}

/**
 * The id of the quote that the event is about; null if it is not about a quote. Events of the same quote are sent in
 * order.
 */
export function quoteIdOf({ data }: DomainEvent): string | null {
  return 'quoteId' in data ? data.quoteId : null
}

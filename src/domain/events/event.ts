import type { CustomerStatus, PaymentStatus } from '../customers/customer.ts'
import type { QuoteStatus } from '../quotes/quote.ts'

/** What a partner can subscribe to (interface: Events), in the order the specification lists them. */
export const eventTypes = ['quote.status.changed', 'customer.payment.updated', 'customer.status.changed'] as const
export type EventType = (typeof eventTypes)[number]

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

/**
 * Every event we send partners, as a closed union. Payloads hold ids and statuses, never personal data. Members are
 * delivered in the order written here (docs/api-behaviour.md#webhooks).
 */
export type DomainEvent =
  | { type: 'quote.status.changed'; data: QuoteStatusChanged }
  | { type: 'customer.payment.updated'; data: CustomerPaymentUpdated }
  | { type: 'customer.status.changed'; data: CustomerStatusChanged }

/** The payload with exactly its documented members, in their order, whatever else the given object carries. */
export function eventPayload(event: DomainEvent): DomainEvent['data'] {
  switch (event.type) {
    case 'quote.status.changed': {
      const { quoteId, reference, previousStatus, status } = event.data
      return { quoteId, reference, previousStatus, status }
    }
    case 'customer.payment.updated': {
      const { customerId, quoteId, reference, previousPaymentStatus, paymentStatus } = event.data
      return { customerId, quoteId, reference, previousPaymentStatus, paymentStatus }
    }
    case 'customer.status.changed': {
      const { customerId, quoteId, reference, previousStatus, status } = event.data
      return { customerId, quoteId, reference, previousStatus, status }
    }
  }
}

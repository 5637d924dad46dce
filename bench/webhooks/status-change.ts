import type { DomainEvent } from '../../src/domain/events/event.ts'
import type { Id } from '../../src/kernel/ids.ts'

/** The event recorded when a quote's packages are selected. */
export function statusChangeEvent(quoteId: Id<'quote'>): DomainEvent {
  return {
    type: 'quote.status.changed',
    data: { quoteId, previousStatus: 'draft', status: 'PackagesSelected', reason: null },
  }
}

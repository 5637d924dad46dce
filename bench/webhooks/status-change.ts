import type { DomainEvent } from '../../src/domain/events/event.ts'
import type { Id } from '../../src/kernel/ids.ts'

/** The event of a quote that has moved one step, as the journey's verbs record it. */
export function statusChange(quoteId: Id<'quote'>): DomainEvent {
  return {
    type: 'quote.status.changed',
    data: { quoteId, reference: 'benchmark', previousStatus: 'draft', status: 'PackagesSelected' },
  }
}

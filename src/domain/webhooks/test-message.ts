import { newId } from '../../kernel/ids.ts'
import { type DomainEvent, type EventType, eventPayload } from '../events/event.ts'
import type { Message } from './message.ts'

/** Of the form of ours, and never anybody's: an all-zero id. */
const quoteId = `quote_${'0'.repeat(26)}`
const customerId = `tenant_${'0'.repeat(26)}`
const reference = 'test-event'

const examples: { [Type in EventType]: Extract<DomainEvent, { type: Type }> } = {
  'quote.status.changed': {
    type: 'quote.status.changed',
    data: { quoteId, reference, previousStatus: 'PackagesSelected', status: 'TenantsAdded' },
  },
  'customer.status.changed': {
    type: 'customer.status.changed',
    data: { customerId, quoteId, reference, previousStatus: 'active', status: 'PersonalInfoComplete' },
  },
  'customer.payment.updated': {
    type: 'customer.payment.updated',
    data: { customerId, quoteId, reference, previousPaymentStatus: 'setup_started', paymentStatus: 'ready' },
  },
}

/**
 * An example of an event: the body of a real one, about a quote and a customer that do not exist, with `test: true` behind
 * it, which no other message has. In the body, so that the mark is signed and is kept with the message.
 */
export function testMessage(type: EventType, now: Date): Message {
  const messageId = newId('event')
  const data = eventPayload(examples[type])
  return {
    messageId,
    type,
    body: JSON.stringify({ id: messageId, type, timestamp: now.toISOString(), data, test: true }),
  }
}

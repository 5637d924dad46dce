import { newId } from '../../../kernel/ids.ts'
import { type DomainEvent, type EventType, eventCatalogue, eventPayload } from '../../events/event.ts'
import type { Message } from './message.ts'

/** Of the form of ours, and never anybody's: all-zero ids. */
const nobody = { quoteId: `quote_${'0'.repeat(26)}`, customerId: `tenant_${'0'.repeat(26)}`, reference: 'test-event' }

/**
 * An example of an event: the body of a real one, about a quote and a customer that do not exist, with `test: true` behind
 * it, which no other message has. In the body, so that the mark is signed and is kept with the message.
 */
export function testMessage(type: EventType, now: Date): Message {
  const messageId = newId('event')
  // Safe: the example is of the event's own type; members of other types are left out.
  const data = eventPayload({ type, data: { ...eventCatalogue[type].example, ...nobody } } as DomainEvent)
  return {
    messageId,
    type,
    body: JSON.stringify({ id: messageId, type, timestamp: now.toISOString(), data, test: true }),
  }
}

import { type DomainEvent, type EventType, eventCatalogue, eventPayload } from '../../events/event.ts'
import { newId } from '../../platform/kernel/ids.ts'
import type { Message } from './message.ts'

/** Valid ids that do not belong to anything: all zeros. */
const nobody = { quoteId: `quote_${'0'.repeat(26)}`, customerId: `tenant_${'0'.repeat(26)}` }

/**
 * An example of an event. Its body is like that of a real event, but the quote and the customer do not exist, and it
 * contains
 * `test: true`, which no other message contains. This mark is in the body so that it is signed and stored with the message.
 */
export function testMessage(type: EventType, now: Date): Message {
  const messageId = newId('event')
  // Safe: the example is of this event type, and eventPayload drops members of other types.
  const data = eventPayload({ type, data: { ...eventCatalogue[type].example, ...nobody } } as DomainEvent, 'test-event')
  return {
    messageId,
    type,
    body: JSON.stringify({ id: messageId, type, timestamp: now.toISOString(), data, test: true }),
  }
}

import type { FieldError } from '../../../kernel/errors.ts'
import { type EventType, eventTypes } from '../../events/event.ts'

export type WebhookStatus = 'active' | 'disabled'
/** Whether the receiver has echoed its challenge: `failed` once the attempts are used up. */
export type Verification = 'pending' | 'verified' | 'failed'

/** A partner's registration: which events go to which URL. The secret is not part of it. */
export interface Webhook {
  webhookId: string
  /** As the partner wrote it. */
  url: string
  events: EventType[]
  status: WebhookStatus
  /** Why it is disabled, in a sentence for the partner; null while active. */
  disabledReason: string | null
  verification: Verification
  /** This and the other moments in real time, also in a sandbox whose clock runs ahead. */
  createdAt: Date
  /** Since when it is disabled; null while active. */
  disabledAt: Date | null
  /** Since when every attempt has failed; null while none has failed after the last that did not. */
  failingSince: Date | null
  /** Until when messages are signed with a replaced secret too; null where only one signs. */
  previousSecretValidUntil: Date | null
}

/** Disabled ones count, deleted ones do not. */
export const mostWebhooks = 20

/** The subscribed events, at least one and each once; or every entry that is wrong, with its pointer (`/events/0` …). */
export function checkEvents(names: readonly string[]): { events: EventType[]; errors: FieldError[] } {
  const events: EventType[] = []
  const errors: FieldError[] = []
  if (names.length === 0) {
    errors.push({
      pointer: '/events',
      code: 'too_short',
      detail: `Subscribe to at least one event type: ${eventTypes.join(', ')}.`,
    })
  }
  names.forEach((name, index) => {
    if (!isEventType(name)) {
      errors.push(unknownEvent(`/events/${index}`))
    } else if (events.includes(name)) {
      errors.push({
        pointer: `/events/${index}`,
        code: 'duplicate_item',
        detail: `${name} is listed more than once. List each event type once.`,
      })
    } else {
      events.push(name)
    }
  })
  return { events, errors }
}

/**
 * The entries of `checkEvents` for unknown names, of a value of any shape: for a registration that is refused for its shape
 * already, so that everything wrong with it is told at once.
 */
export function unknownEvents(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((name: unknown, index) =>
    typeof name === 'string' && !isEventType(name) ? [unknownEvent(`/events/${index}`)] : [],
  )
}

/** One event's name (`/type` of the body); or what is wrong with it. */
export function checkEventType(
  name: string,
): { type: EventType; errors: [] } | { type: undefined; errors: [FieldError] } {
  return isEventType(name) ? { type: name, errors: [] } : { type: undefined, errors: [unknownEvent('/type')] }
}

function isEventType(name: string): name is EventType {
  return eventTypes.some((type) => type === name)
}

function unknownEvent(pointer: string): FieldError {
  return {
    pointer,
    code: 'webhook_event_unknown',
    detail: `Unknown event type. Must be one of: ${eventTypes.join(', ')}.`,
  }
}

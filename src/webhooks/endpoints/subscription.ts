import { type EventType, eventTypes } from '../../events/event.ts'
import { type FieldError, suggestName } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'

export type WebhookStatus = 'active' | 'disabled'
/** Whether the receiver has echoed its challenge; `failed` once all attempts are used up. */
export type Verification = 'pending' | 'verified' | 'failed'

/** A partner's webhook without its secret: which events are sent to which URL. */
export interface Webhook {
  webhookId: Id<'webhook'>
  /** The URL as the partner wrote it. */
  url: string
  events: EventType[]
  status: WebhookStatus
  /** A sentence that tells the partner why the webhook is disabled; null while it is active. */
  disabledReason: string | null
  verification: Verification
  /** This and all other times of a webhook are in real time, even in a sandbox whose clock runs ahead. */
  createdAt: Date
  /** When the webhook was disabled; null while it is active. */
  disabledAt: Date | null
  /** When the webhook's current streak of failed attempts began; null if the latest attempt succeeded. */
  failingSince: Date | null
  /** The time until which messages are also signed with the previous secret; null if there is only one secret. */
  previousSecretValidUntil: Date | null
}

/**
 * The subscribed events (at least one, without duplicates), or the invalid entries with their pointers (`/events/0` …).
 */
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
      errors.push(unknownEvent(name, `/events/${index}`))
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
 * Returns the errors that `checkEvents` reports for unknown event types, but accepts a value of any shape. If the
 * schema rejects a registration, these errors are added to those of the schema, so that one response lists every error.
 */
export function unknownEventErrors(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((name: unknown, index) =>
    typeof name === 'string' && !isEventType(name) ? [unknownEvent(name, `/events/${index}`)] : [],
  )
}

/** Checks an event type sent as `/type` in the body. Returns the type, or what is wrong with it. */
export function checkEventType(
  name: string,
): { type: EventType; errors: [] } | { type: undefined; errors: [FieldError] } {
  return isEventType(name) ? { type: name, errors: [] } : { type: undefined, errors: [unknownEvent(name, '/type')] }
}

function isEventType(name: string): name is EventType {
  return eventTypes.some((type) => type === name)
}

function unknownEvent(name: string, pointer: string): FieldError {
  return {
    pointer,
    code: 'webhook_event_unknown',
    detail: `Unknown event type.${suggestName(name, eventTypes)} Must be one of: ${eventTypes.join(', ')}.`,
  }
}

import { eventTypes } from '../../events/event.ts'
import { verificationType } from '../messages/message.ts'

/** How many of a delivery's latest attempts are kept. */
export const keptAttempts = 100
/** How much of a response's body is kept. */
export const keptBodyBytes = 4_096

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Everything that is ever delivered: the events, and the messages of a webhook's own. */
export const deliveredTypes = [...eventTypes, verificationType] as const
export type DeliveredType = (typeof deliveredTypes)[number]

/**
 * What a pending delivery waits for: the receiver's answer, the time of its retry, the first attempt at an earlier event of its quote,
 * or its turn: being due, it goes as soon as a worker has room, or its webhook is verified where that is required.
 */
export const waits = ['answer', 'retry', 'earlier_event', 'turn'] as const
export type Wait = (typeof waits)[number]

/** Why a delivery failed for good. `challenge_replaced`: by a newer challenge, or another URL. */
export const givenUpReasons = ['attempts_used_up', 'webhook_disabled', 'challenge_replaced'] as const
export type GivenUpReason = (typeof givenUpReasons)[number]

/** A message on its way to one webhook, as its partner sees it. All times are real. */
export interface Delivery {
  deliveryId: string
  webhookId: string
  /** The `webhook-id` header and the body's `id`: the event's id, where it is an event. */
  messageId: string
  type: DeliveredType
  /** Null for a message of the webhook's own. */
  quoteId: string | null
  status: DeliveryStatus
  /** Of all rounds. */
  attemptCount: number
  createdAt: Date
  /** Null where no attempt will follow, one is under way, or it waits for an earlier event of its quote. */
  nextAttemptAt: Date | null
  /** When it arrived or was given up; null while pending. */
  finishedAt: Date | null
  /** Null unless pending. */
  waitingFor: Wait | null
  /** Null unless failed. */
  givenUpBecause: GivenUpReason | null
  lastAttempt: AttemptOutline | null
}

/** How an attempt went, in short. */
export interface AttemptOutline {
  startedAt: Date
  durationMs: number
  /** Null where no answer came. */
  responseStatus: number | null
  /** In words; null where it succeeded. */
  error: string | null
}

/** An attempt with all that was sent and what came back. */
export interface RecordedAttempt extends AttemptOutline {
  attemptNumber: number
  requestHeaders: Record<string, string>
  /** The first 4 KiB; null where no answer came. */
  responseBody: string | null
}

export interface DeliveryWithAttempts extends Delivery {
  /** What is sent at every attempt, byte for byte. */
  body: string
  /** Oldest first; of very many, the latest 100. */
  attempts: RecordedAttempt[]
}

/** Which deliveries of a webhook to list, newest first. */
export interface DeliveryFilter {
  status: DeliveryStatus | undefined
  type: DeliveredType | undefined
  /** Made at or after this moment. */
  createdAfter: Date | undefined
  /** Made before this moment. */
  createdBefore: Date | undefined
}

/** The last delivery of a page: the next one begins behind it. */
export interface DeliveryPlace {
  deliveryId: string
  /** Microseconds since 1970: deliveries are ordered more finely than a Date can tell. */
  createdMicros: string
}

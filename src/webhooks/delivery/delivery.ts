import { eventTypes } from '../../events/event.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type AttemptOutcome, verificationType } from './response-outcome.ts'

/** How many of a delivery's latest attempts are kept. */
export const keptAttempts = 100
/** How many bytes of a response's body are kept. */
export const keptBodyBytes = 4_096

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The types of everything that is delivered: events, and messages about the webhook itself. */
export const deliveredTypes = [...eventTypes, verificationType] as const
type DeliveredType = (typeof deliveredTypes)[number]

/**
 * What a pending delivery waits for: the receiver's response, the time of its retry, the first attempt at an earlier
 * event of its quote, or its turn. In the last case, the delivery is due; it is sent once a worker has a free slot and,
 * unless a sandbox is set up otherwise, its webhook is verified.
 */
export const waitReasons = ['answer', 'retry', 'earlier_event', 'turn'] as const
type WaitReason = (typeof waitReasons)[number]

/** Why a delivery failed for good. `challenge_replaced`: there is a newer challenge, or the webhook's URL changed. */
export const givenUpReasons = ['attempts_used_up', 'webhook_disabled', 'challenge_replaced'] as const
export type GivenUpReason = (typeof givenUpReasons)[number]

/** A message to one webhook and the state of its delivery, as the partner sees it. All times are in real time. */
export interface Delivery {
  deliveryId: Id<'delivery'>
  webhookId: Id<'webhook'>
  /** The `webhook-id` header and the body's `id`. For an event, the event's id. */
  messageId: string
  type: DeliveredType
  /** Null for a message about the webhook itself. */
  quoteId: Id<'quote'> | null
  status: DeliveryStatus
  /** The number of attempts so far, including those made before a redelivery. */
  attemptCount: number
  createdAt: Date
  /**
   * Null if no attempt will follow, if one is in progress, or if the delivery waits for an earlier event of its quote.
   */
  nextAttemptAt: Date | null
  /** When it was delivered or failed for good; null while pending. */
  finishedAt: Date | null
  /** Null unless the delivery is pending. */
  waitingFor: WaitReason | null
  /** Null unless the delivery has failed. */
  givenUpBecause: GivenUpReason | null
  lastAttempt: AttemptOutline | null
}

/** One attempt to deliver a message, as it is recorded and shown to the partner. */
export interface Attempt {
  outcome: AttemptOutcome
  startedAt: Date
  durationMs: number
  requestHeaders: Readonly<Record<string, string>>
  responseStatus: number | null
  /** The first 4 KiB of the response's body; null if there was no response. */
  responseBody: string | null
  /** A description for the partner; null if the attempt was accepted. */
  error: string | null
  /** How long the receiver asked to wait, which only sets the time of the next attempt; undefined if it did not. */
  retryAfterSeconds: number | undefined
}

/** When an attempt was made, and its outcome. */
export interface AttemptOutline {
  startedAt: Date
  durationMs: number
  /** Null if there was no response. */
  responseStatus: number | null
  /** A description of the failure; null if the attempt succeeded. */
  error: string | null
}

/** An attempt with everything that was sent and received. */
export interface RecordedAttempt extends AttemptOutline {
  attemptNumber: number
  requestHeaders: Record<string, string>
  /** The first 4 KiB of the response's body; null if there was no response. */
  responseBody: string | null
}

export interface DeliveryWithAttempts extends Delivery {
  /** What every attempt sends, byte for byte. */
  body: string
  /** Oldest first; the latest 100 if there are more. */
  attempts: RecordedAttempt[]
}

/** Selects which of a webhook's deliveries are listed. The list starts with the newest. */
export interface DeliveryFilter {
  status: DeliveryStatus | undefined
  type: DeliveredType | undefined
  /** Created at or after this moment. */
  createdAfter: Date | undefined
  /** Created before this moment. */
  createdBefore: Date | undefined
}

/** The last delivery of a page: the next page starts after it. */
export interface DeliveryPosition {
  deliveryId: Id<'delivery'>
  /** In microseconds since 1970, because a Date is too coarse for the order of deliveries. */
  createdMicros: string
}

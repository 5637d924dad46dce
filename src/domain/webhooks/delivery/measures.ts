import type { AttemptOutcome } from './attempt.ts'

/** What one process has sent since it started, and what it is sending now. */
export interface WebhookMeasures {
  /** Attempts that ended. */
  attempts: Readonly<Record<AttemptOutcome, number>>
  /** Their total duration. */
  attemptSeconds: number
  /**
   * Deliveries being sent. `ready` is always 0, because deliveries are sent as soon as they are leased; the metric is kept for its
   * readers.
   */
  sending: number
  ready: number
  /** A few seconds old, over all processes; undefined if the query failed. */
  backlog: WebhookBacklog | undefined
}

/** How late deliveries are that nothing should delay, and the state of the webhooks. */
export interface WebhookBacklog {
  /** The age of the oldest undispatched event; 0 if there is none. */
  undispatchedSeconds: number
  /** How long the oldest due delivery has waited that nobody is sending and whose webhook is not failing; 0 if there is none. */
  overdueSeconds: number
  /** Webhooks that are active and not failing, active and failing, and disabled. */
  active: number
  failing: number
  disabled: number
}

import type { AttemptOutcome } from './attempt.ts'

/** What one process has sent since it started and what it is sending now. */
export interface WebhookMetrics {
  /** The number of ended attempts, by outcome. */
  attempts: Readonly<Record<AttemptOutcome, number>>
  /** The total duration of ended attempts. */
  attemptSeconds: number
  /** The number of deliveries being sent. They are sent as soon as they are leased. */
  sending: number
  /** The backlog of all processes, up to a few seconds old; undefined if the query failed. */
  backlog: WebhookBacklog | undefined
}

/**
 * How far behind the workers are (deliveries to failing webhooks do not count), and how many webhooks are in each
 * state.
 */
export interface WebhookBacklog {
  /** The age of the oldest undispatched event; 0 if there is none. */
  undispatchedSeconds: number
  /**
   * How long the oldest overdue delivery has waited; 0 if there is none. Counts only due deliveries that no worker is
   * sending and whose webhook is not failing.
   */
  overdueSeconds: number
  /** The number of webhooks that are active and not failing, active and failing, and disabled. */
  active: number
  failing: number
  disabled: number
}

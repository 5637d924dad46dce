import type { AttemptOutcome } from './attempt.ts'

/** What one process has done for webhooks since it started, and what is in its hands now. */
export interface WebhookMeasures {
  /** Attempts that ended. */
  attempts: Readonly<Record<AttemptOutcome, number>>
  /** How long they took together. */
  attemptSeconds: number
  /** Deliveries being sent. `ready` is always 0, as they are sent as soon as they are leased; the metric has had it from the beginning. */
  sending: number
  ready: number
  /** As of some seconds ago, over all processes; undefined where the database could not tell. */
  backlog: WebhookBacklog | undefined
}

/** How long what waits has been waiting that nothing should keep, and how the webhooks stand. */
export interface WebhookBacklog {
  /** The oldest event that is not dispatched; 0 where there is none. */
  undispatchedSeconds: number
  /** What has been due longest, and in nobody's hand, of webhooks that are not failing; 0 where there is nothing. */
  overdueSeconds: number
  /** Webhooks that are active and not failing, active and failing, and disabled. */
  active: number
  failing: number
  disabled: number
}

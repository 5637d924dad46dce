import { type Database, inQueueTransaction } from '../../platform/db/database.ts'
import { readBacklog, type WebhookBacklog } from './backlog.store.ts'
import type { AttemptOutcome } from './deliver.ts'
import { type DispatchResult, dispatchOldestEvents, tryDispatchLock } from './dispatch.store.ts'
import { giveUpDeliveriesOfDisabledWebhooks } from './give-up.store.ts'
import { type LeasedDelivery, leaseDueDeliveries, type SendingLimits } from './leases.store.ts'

/**
 * Takes about `batch` of the oldest events in the outbox and queues one delivery for each webhook that subscribes to
 * them, in one transaction. Only one worker dispatches at a time, so that an event cannot overtake an earlier event of
 * its quote.
 */
export async function dispatchEvents({ db }: { db: Database }, batch: number): Promise<DispatchResult> {
  return inQueueTransaction(db, async (tx) =>
    (await tryDispatchLock(tx)) ? dispatchOldestEvents(tx, batch) : { events: 0, deliveries: 0, hasMore: false },
  )
}

/**
 * Leases as many due deliveries as the worker has room for. `sending` is the number it is already sending to each
 * webhook.
 */
export async function leaseDeliveries(
  { db }: { db: Database },
  limits: SendingLimits,
  sending: ReadonlyMap<string, number> = new Map(),
): Promise<LeasedDelivery[]> {
  if (limits.slots <= 0) return []
  return inQueueTransaction(db, (tx) => leaseDueDeliveries(tx, limits, sending))
}

/**
 * Gives up at most `limit` pending deliveries of disabled webhooks, and returns how many. This is separate from
 * disabling because there may be a million of them. They are not sent in the meantime.
 */
export function clearQueueOfDisabledWebhooks({ db }: { db: Database }, limit: number): Promise<number> {
  return inQueueTransaction(db, (tx) => giveUpDeliveriesOfDisabledWebhooks(tx, limit))
}

/** How far behind the workers of all processes are now, for all partners together. */
export function measureBacklog(
  { db }: { db: Database },
  settings: { requireVerification: boolean },
): Promise<WebhookBacklog> {
  return readBacklog(db, settings)
}

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

import { type Database, inQueueTransaction, inTransaction } from '../../src/platform/db/database.ts'
import type { Attempt } from '../../src/webhooks/delivery/delivery.ts'
import { type DispatchResult, dispatchEvents } from '../../src/webhooks/delivery/dispatch.store.ts'
import { type LeasedDelivery, leaseDueDeliveries, type SendingLimits } from '../../src/webhooks/delivery/queue.store.ts'
import type { WebhookLab } from './webhook-fixture.ts'

const limits: SendingLimits = {
  slots: 512,
  failingSlots: 256,
  perWebhook: 16,
  perFailingWebhook: 4,
  leaseSeconds: 20,
  requireVerification: false,
}

/** Leases the due deliveries for a worker whose deliveries to each webhook already occupy this many slots. */
export const leaseAll = (
  lab: { db: Database },
  other: Partial<SendingLimits> = {},
  occupiedSlots = new Map<string, number>(),
): Promise<LeasedDelivery[]> =>
  inQueueTransaction(lab.db, (tx) => leaseDueDeliveries(tx, { ...limits, ...other }, occupiedSlots))

/** Dispatches about `batch` of the oldest events, as the worker does. */
export const dispatch = ({ db }: { db: Database }, batch: number): Promise<DispatchResult> =>
  inTransaction(db, {}, (tx) => dispatchEvents(tx, batch))

/** An attempt that the receiver accepted. */
export const acceptedAttempt: Attempt = {
  outcome: 'accepted',
  startedAt: new Date(),
  durationMs: 5,
  requestHeaders: {},
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
  retryAfterSeconds: undefined,
}

/** Moves everything in the queue to the history with this status. */
export async function endQueuedDeliveries(lab: WebhookLab, status: 'delivered' | 'failed'): Promise<void> {
  await lab.rows(
    `with ended as (delete from delivery_queue returning *)
     insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type,
       quote_id, own_body,
         created_at, status, attempt_count, attempts)
       select delivery_id, partner_id, webhook_id, message_id, event_id, event_number, event_type, quote_id, own_body,
         created_at, $1, attempt_count, attempts from ended`,
    [status],
  )
}

import type { Database } from '../../src/db/database.ts'
import type { Attempt } from '../../src/domain/webhooks/delivery/attempt.ts'
import { idleHands } from '../../src/domain/webhooks/delivery/idle-hands.fixture.ts'
import { leaseDeliveries } from '../../src/domain/webhooks/delivery/lease-deliveries.ts'
import type { LeasedDelivery } from '../../src/domain/webhooks/delivery/leases.store.ts'
import type { DispatchingWorker } from '../../src/domain/webhooks/delivery/plan-dispatch.ts'
import { roomFor, type SendingNow } from '../../src/domain/webhooks/delivery/slots.ts'

const policy = { slots: 512, perWebhook: 16, readyForQuick: 0, readySlots: 0, perFailingWebhook: 4 }

/** A worker that dispatches, with a small room of its own unless told otherwise. */
export function worker(told: Partial<DispatchingWorker> = {}, inHand: Partial<SendingNow> = {}): DispatchingWorker {
  const sending = { ...idleHands, ...inHand }
  return {
    room: roomFor(policy, sending),
    sending,
    leaseSeconds: 20,
    requireVerification: false,
    isPatient: true,
    ...told,
  }
}

/** What such a worker leases of what is due. */
export const leaseAll = (lab: { db: Database }, own = worker()): Promise<LeasedDelivery[]> => leaseDeliveries(lab, own)

/** An attempt that the receiver took. */
export const accepted: Attempt = {
  outcome: 'accepted',
  startedAt: new Date(),
  durationMs: 5,
  requestHeaders: {},
  responseStatus: 200,
  responseBody: 'ok',
  error: null,
  retryAfterSeconds: undefined,
}

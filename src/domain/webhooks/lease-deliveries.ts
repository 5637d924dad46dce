import { type Database, inQueueTransaction } from '../../db/database.ts'
import { type LeasedDelivery, leaseDue, returnLeases } from './leases.store.ts'

/** What a worker has in hand at the moment. */
export interface SendingNow {
  /** Being sent, or as good as. */
  total: number
  toFailing: number
  /** Beside those, waiting for their turn at receivers that answer at once. */
  ready: number
  byWebhook: ReadonlyMap<string, number>
  /** Webhooks whose receivers answered at once the last time. */
  quick: ReadonlySet<string>
}

export interface LeasePolicy {
  slots: number
  perWebhook: number
  /** Beside those, for a receiver that answers at once: its next ones lie ready when one ends. For one, and for all together. */
  readyForQuick: number
  readySlots: number
  perFailingWebhook: number
  leaseSeconds: number
  requireVerification: boolean
}

/** How many are leased at once to be sent; what is to lie ready comes on top. */
export function mostInOneLease({ slots }: LeasePolicy, { total }: SendingNow): number {
  return Math.max(0, Math.ceil((slots - total) / 2))
}

/**
 * Leases deliveries for a worker's free slots, so that however many receivers hang, the others find room: webhooks whose
 * last attempt failed share at most half of all slots; no webhook has more in hand than an eighth of what is free; and one
 * call gives out at most half of it, as nobody knows yet which of these receivers will answer. What lies ready for those that
 * answer at once takes no slot from anybody.
 */
export async function leaseDeliveries(
  { db }: { db: Database },
  policy: LeasePolicy,
  sending: SendingNow,
): Promise<LeasedDelivery[]> {
  const free = policy.slots - sending.total
  if (free <= 0) return []
  const fairShare = Math.ceil(free / 8)
  const perWebhook = Math.min(policy.perWebhook, fairShare)
  // While slots are short a lane is not filled, and what should lie ready would be sent at once.
  const freeReady = perWebhook < policy.perWebhook ? 0 : Math.max(0, policy.readySlots - sending.ready)
  const readyForQuick = Math.min(policy.readyForQuick, Math.ceil(freeReady / 2))
  const request = {
    slots: mostInOneLease(policy, sending),
    failingSlots: Math.max(0, Math.floor(policy.slots / 2) - sending.toFailing),
    readySlots: freeReady,
    readyForQuick,
    quick: sending.quick,
    inFlight: sending.byWebhook,
    plentiful: readyForQuick / 2,
    perWebhook,
    perFailingWebhook: Math.min(policy.perFailingWebhook, fairShare),
    leaseSeconds: policy.leaseSeconds,
    requireVerification: policy.requireVerification,
  }
  return inQueueTransaction(db, (tx) => leaseDue(tx, request))
}

/** Makes deliveries due again at once that were leased and never begun. */
export async function returnDeliveries({ db }: { db: Database }, leased: readonly LeasedDelivery[]): Promise<void> {
  if (leased.length > 0) await inQueueTransaction(db, (tx) => returnLeases(tx, leased))
}

import type { Database } from '../../db/database.ts'
import { type LeasedDelivery, leaseDue } from './leases.store.ts'

/** What a worker is sending at the moment. */
export interface SendingNow {
  total: number
  toFailing: number
  byWebhook: ReadonlyMap<string, number>
}

export interface LeasePolicy {
  slots: number
  perWebhook: number
  perFailingWebhook: number
  leaseSeconds: number
  requireVerification: boolean
}

/**
 * Leases deliveries for a worker's free slots, so that however many receivers hang, the others find room: webhooks whose
 * last attempt failed share at most half of all slots; no webhook has more in hand than an eighth of what is free; and
 * one call gives out at most half of it, as nobody knows yet which of these receivers will answer.
 */
export async function leaseDeliveries(
  { db }: { db: Database },
  policy: LeasePolicy,
  sending: SendingNow,
): Promise<LeasedDelivery[]> {
  const free = policy.slots - sending.total
  if (free <= 0) return []
  const fairShare = Math.ceil(free / 8)
  return leaseDue(db, {
    slots: Math.ceil(free / 2),
    failingSlots: Math.max(0, Math.floor(policy.slots / 2) - sending.toFailing),
    inFlight: sending.byWebhook,
    perWebhook: Math.min(policy.perWebhook, fairShare),
    perFailingWebhook: Math.min(policy.perFailingWebhook, fairShare),
    leaseSeconds: policy.leaseSeconds,
    requireVerification: policy.requireVerification,
  })
}

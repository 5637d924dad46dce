import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'

/** A lease of a delivery to this webhook, for tests that look at nothing else of it. */
export function leasedDelivery(webhookId: string, told: Partial<LeasedDelivery> = {}): LeasedDelivery {
  return {
    deliveryId: 'delivery_1',
    leaseId: 'claim_1',
    partnerId: 'partner_1',
    webhookId,
    messageId: 'event_1',
    type: 'quote.status.changed',
    body: '{}',
    attemptCount: 0,
    url: 'https://receiver.test/',
    secrets: [],
    webhookRevision: 0,
    isFailing: false,
    ...told,
  }
}

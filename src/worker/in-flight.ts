import type { SendingNow } from '../domain/webhooks/lease-deliveries.ts'
import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'

/** Counts the deliveries that occupy a slot: from their lease until their attempt is written down. */
export class InFlight implements SendingNow {
  total = 0
  toFailing = 0
  readonly byWebhook = new Map<string, number>()

  add({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, 1)
  }

  remove({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, -1)
  }

  #count(webhookId: string, isFailing: boolean, change: 1 | -1): void {
    this.total += change
    if (isFailing) this.toFailing += change
    const own = (this.byWebhook.get(webhookId) ?? 0) + change
    if (own === 0) this.byWebhook.delete(webhookId)
    else this.byWebhook.set(webhookId, own)
  }
}

import type { SendingNow } from '../domain/webhooks/lease-deliveries.ts'
import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'

/** An answer that came sooner is quick: sixteen times as many as are sent at once are then through within two seconds. */
const quickMs = 125

/** Counts the deliveries in hand, from their lease until their attempt has ended, and knows who answers quickly. */
export class InFlight implements SendingNow {
  total = 0
  toFailing = 0
  ready = 0
  readonly byWebhook = new Map<string, number>()
  readonly quick = new Set<string>()
  readonly #width: number

  /** So many of one webhook's are sent at once; what is beyond lies ready. */
  constructor(width: number) {
    this.#width = width
  }

  add({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, 1)
  }

  remove({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, -1)
  }

  /** What the last attempt tells of the webhook's receiver; forgotten when nothing is under way to it any more. */
  learn(webhookId: string, attempt: { outcome: string; durationMs: number }): void {
    if (attempt.outcome === 'accepted' && attempt.durationMs < quickMs) this.quick.add(webhookId)
    else this.quick.delete(webhookId)
  }

  #count(webhookId: string, isFailing: boolean, change: 1 | -1): void {
    const before = this.byWebhook.get(webhookId) ?? 0
    const own = before + change
    if (Math.min(before, own) < this.#width) this.total += change
    else this.ready += change
    if (isFailing) this.toFailing += change
    if (own > 0) {
      this.byWebhook.set(webhookId, own)
    } else {
      this.byWebhook.delete(webhookId)
      this.quick.delete(webhookId)
    }
  }
}

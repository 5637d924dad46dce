import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'
import type { OwnRoom } from '../domain/webhooks/slots.ts'

/**
 * For whom more may be due than the last lease brought, so that the end of an attempt is worth another look. Most attempts end
 * with nothing waiting behind them, and a look costs as much as sending ten messages.
 */
export class MayHaveMore {
  #isAnybody = true
  #webhooks = new Set<string>()

  /** Failing webhooks are few in hand, and always looked at. */
  has({ webhookId, isFailing }: { webhookId: string; isFailing: boolean }): boolean {
    return this.#isAnybody || isFailing || this.#webhooks.has(webhookId)
  }

  /** What a lease brought a worker that had this room, and has in hand still what it had then. */
  learn(leased: readonly LeasedDelivery[], { room, sending }: OwnRoom): void {
    this.#isAnybody = leased.length >= room.slots
    this.#webhooks = new Set(leased.map(({ webhookId }) => webhookId))
    for (const [webhookId, inHand] of sending.byWebhook) {
      // Its hands are full and it was not looked at, or it was passed over as it has plenty.
      const looked = room.perWebhook + Math.min(sending.quick.get(webhookId) ?? 0, room.readyForQuick / 2)
      if (inHand >= looked) this.#webhooks.add(webhookId)
    }
  }
}

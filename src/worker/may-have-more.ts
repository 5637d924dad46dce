import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'
import type { OwnRoom, Room, SendingNow } from '../domain/webhooks/slots.ts'

/**
 * For whom more may be due than this worker has in hand, so that the end of an attempt is worth another look. Most attempts end
 * with nothing waiting behind them, and a look costs as much as sending ten messages.
 */
export class MayHaveMore {
  #isAnybody = true
  #isAnyFailing = true
  #webhooks = new Set<string>()

  has({ webhookId, isFailing }: { webhookId: string; isFailing: boolean }): boolean {
    return this.#isAnybody || (isFailing && this.#isAnyFailing) || this.#webhooks.has(webhookId)
  }

  /** What a lease brought a worker that had this room, and has in hand still what it had then. */
  learn(leased: readonly LeasedDelivery[], { room, sending }: OwnRoom): void {
    this.#isAnybody = leased.length >= room.slots
    this.#isAnyFailing = leased.filter(({ isFailing }) => isFailing).length >= room.failingSlots
    this.#webhooks = new Set(leased.map(({ webhookId }) => webhookId))
    // Its hands are full and it was not looked at, or it was passed over as it has plenty.
    for (const webhookId of sending.byWebhook.keys()) {
      if (isFull(webhookId, room, sending)) this.#webhooks.add(webhookId)
    }
  }

  /**
   * Something is due for this webhook. True: there is room for it, as far as the worker's own hands are concerned. False: it is
   * remembered, and the end of an attempt makes the room.
   */
  isWorthLooking(webhookId: string, { room, sending }: Pick<OwnRoom, 'room' | 'sending'>): boolean {
    if (room.slots <= 0) this.#isAnybody = true
    else if (sending.failing.has(webhookId) && room.failingSlots <= 0) this.#isAnyFailing = true
    else if (isFull(webhookId, room, sending)) this.#webhooks.add(webhookId)
    else return true
    return false
  }
}

function isFull(webhookId: string, room: Room, { byWebhook, quick, failing }: SendingNow): boolean {
  const inHand = byWebhook.get(webhookId) ?? 0
  if (failing.has(webhookId)) return inHand >= room.perFailingWebhook
  return inHand >= room.perWebhook + Math.min(quick.get(webhookId) ?? 0, room.readyForQuick / 2)
}

import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'
import type { OwnRoom, Room, SendingNow, SlotPolicy } from '../../domain/webhooks/delivery/slots.ts'

/**
 * For whom more may be due than this worker has in hand, so that the end of an attempt is worth another look. Most attempts end
 * with nothing waiting behind them, and a look costs as much as sending ten messages.
 */
export class MayHaveMore {
  #isAnybody = true
  #isAnyFailing = true
  #webhooks = new Set<string>()
  readonly #policy: Pick<SlotPolicy, 'perWebhook' | 'perFailingWebhook'>

  constructor(policy: Pick<SlotPolicy, 'perWebhook' | 'perFailingWebhook'>) {
    this.#policy = policy
  }

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
   * remembered, and the end of an attempt makes the room: one of the webhook's own, or of any where they share what room there is.
   */
  isWorthLooking(webhookId: string, { room, sending }: Pick<OwnRoom, 'room' | 'sending'>): boolean {
    const isFailing = sending.failing.has(webhookId)
    const isAnyFull = room.slots <= 0
    const isAnyFailingFull = isFailing && room.failingSlots <= 0
    if (!isAnyFull && !isAnyFailingFull && !isFull(webhookId, room, sending)) return true
    const isShort = isFailing
      ? room.perFailingWebhook < this.#policy.perFailingWebhook
      : room.perWebhook < this.#policy.perWebhook
    this.#isAnybody ||= isAnyFull || isShort
    this.#isAnyFailing ||= isAnyFailingFull
    this.#webhooks.add(webhookId)
    return false
  }
}

function isFull(webhookId: string, room: Room, { byWebhook, quick, failing }: SendingNow): boolean {
  const inHand = byWebhook.get(webhookId) ?? 0
  if (failing.has(webhookId)) return inHand >= room.perFailingWebhook
  return inHand >= room.perWebhook + Math.min(quick.get(webhookId) ?? 0, room.readyForQuick / 2)
}

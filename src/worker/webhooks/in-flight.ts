import type { AttemptOutcome } from '../../domain/webhooks/delivery/attempt.ts'
import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'
import type { SendingNow } from '../../domain/webhooks/delivery/slots.ts'

/** An answer that came sooner is quick. */
const quickMs = 125
const mostRemembered = 500
/** As much lies ready as is through within this time, at the pace of the last answer. */
const readyForMs = 1_900

/** Counts the deliveries in hand, from their lease until their attempt has ended, and knows who answers quickly. */
export class InFlight implements SendingNow {
  total = 0
  toFailing = 0
  ready = 0
  readonly byWebhook = new Map<string, number>()
  readonly failing = new Set<string>()
  readonly quick = new Map<string, number>()
  readonly slow = new Set<string>()
  readonly #width: number

  /** So many of one webhook's are sent at once; what is beyond lies ready. */
  constructor(width: number) {
    this.#width = width
  }

  add({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, 1)
    if (isFailing) this.failing.add(webhookId)
    else this.failing.delete(webhookId)
  }

  remove({ webhookId, isFailing }: LeasedDelivery): void {
    this.#count(webhookId, isFailing, -1)
  }

  /** What an attempt that is still in hand tells of the webhook's receiver. */
  learn(webhookId: string, { outcome, durationMs }: { outcome: AttemptOutcome; durationMs: number }): void {
    if (outcome === 'failed' || outcome === 'gone') this.failing.add(webhookId)
    if (outcome === 'accepted' && durationMs < quickMs) {
      this.#forget(webhookId)
      this.quick.set(webhookId, Math.floor((this.#width * readyForMs) / Math.max(1, durationMs)))
    } else {
      this.markSlow(webhookId)
    }
  }

  /** The webhook was changed, or without an id any of them: whether it is failing, the next lease tells. */
  forgetFailing(webhookId?: string): void {
    if (webhookId === undefined) this.failing.clear()
    else this.failing.delete(webhookId)
  }

  /** Nothing has come of what is under way to the webhook's receiver for a while. */
  markSlow(webhookId: string): void {
    this.#forget(webhookId)
    this.slow.add(webhookId)
  }

  /** Of too many, also the one that nothing has been learned of for longest. */
  #forget(webhookId: string): void {
    for (const known of [this.quick, this.slow]) {
      known.delete(webhookId)
      const [longest] = known.keys()
      if (known.size >= mostRemembered && longest !== undefined) known.delete(longest)
    }
  }

  #count(webhookId: string, isFailing: boolean, change: 1 | -1): void {
    const before = this.byWebhook.get(webhookId) ?? 0
    const own = before + change
    if (Math.min(before, own) < this.#width) this.total += change
    else this.ready += change
    if (isFailing) this.toFailing += change
    if (own > 0) {
      this.byWebhook.set(webhookId, own)
      return
    }
    this.byWebhook.delete(webhookId)
    this.failing.delete(webhookId)
  }
}

import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'

interface LanesOptions {
  /** Requests open at the same time to one webhook's receiver. */
  width: number
  /** With fewer waiting than this a lane is about to run dry. */
  short: number
  /** One that has waited longer is not begun any more: its lease could end before its attempt does. */
  mostWaitMs: number
  /** Sends one; resolves when the attempt has ended, whatever came of it. */
  send(delivery: LeasedDelivery): Promise<void>
  /** It left its lane: its attempt has ended, or it was never begun. */
  onLeft(delivery: LeasedDelivery, end: 'ended' | 'not begun'): void
}

interface Lane {
  open: number
  waiting: { delivery: LeasedDelivery; since: number }[]
}

/**
 * A lane for each webhook: so many of its deliveries are sent at once, the next as soon as one ends, without asking the
 * database in between. No lane waits for another.
 */
export class Lanes {
  readonly #options: LanesOptions
  readonly #byWebhook = new Map<string, Lane>()
  readonly #sends = new Set<Promise<void>>()

  constructor(options: LanesOptions) {
    this.#options = options
  }

  add(delivery: LeasedDelivery): void {
    let lane = this.#byWebhook.get(delivery.webhookId)
    if (lane === undefined) {
      lane = { open: 0, waiting: [] }
      this.#byWebhook.set(delivery.webhookId, lane)
    }
    lane.waiting.push({ delivery, since: performance.now() })
    this.#advance(delivery.webhookId, lane)
  }

  /** Whether the lane of some webhook is about to run dry while others may fill it. */
  isShort(webhookId: string): boolean {
    return (this.#byWebhook.get(webhookId)?.waiting.length ?? 0) < this.#options.short
  }

  /** Gives back all that was not begun. */
  empty(): LeasedDelivery[] {
    return [...this.#byWebhook.values()].flatMap(({ waiting }) => waiting.splice(0).map(({ delivery }) => delivery))
  }

  /** Resolves when nothing is being sent any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#sends)
  }

  #advance(webhookId: string, lane: Lane): void {
    const { width, mostWaitMs, onLeft } = this.#options
    while (lane.open < width) {
      const next = lane.waiting.shift()
      if (next === undefined) break
      if (performance.now() - next.since > mostWaitMs) onLeft(next.delivery, 'not begun')
      else this.#begin(webhookId, lane, next.delivery)
    }
    if (lane.open === 0 && lane.waiting.length === 0) this.#byWebhook.delete(webhookId)
  }

  #begin(webhookId: string, lane: Lane, delivery: LeasedDelivery): void {
    lane.open += 1
    const send = this.#options.send(delivery).finally(() => {
      this.#sends.delete(send)
      lane.open -= 1
      this.#options.onLeft(delivery, 'ended')
      this.#advance(webhookId, lane)
    })
    this.#sends.add(send)
  }
}

import type { LeasedDelivery } from '../domain/webhooks/leases.store.ts'

interface LanesOptions {
  /** Requests open at the same time to one webhook's receiver, at most. */
  width: number
  /** With fewer waiting than this a lane is about to run dry. */
  short: number
  /** One that has waited longer is not begun any more: its lease could end before its attempt does. */
  mostWaitMs: number
  /** Sends one; resolves when the attempt has ended, whatever came of it. */
  send(delivery: LeasedDelivery): Promise<void>
  /** It left its lane: its attempt has ended, or it was never begun. */
  onLeft(delivery: LeasedDelivery, end: 'ended' | 'not begun'): void
  /** Nothing has ended in a lane for a while, and others wait in it. */
  onStuck(webhookId: string): void
}

interface Lane {
  open: number
  waiting: { delivery: LeasedDelivery; since: number }[]
  /** How long the last attempt took that needed no connection of its own; undefined before there was one. */
  lastMs: number | undefined
  /** When an attempt last ended, or else the lane began. */
  movedAt: number
  hasMoved: boolean
  /** Nothing has ended for a while. */
  isStuck: boolean
  watch: NodeJS.Timeout | undefined
}

/** Requests open at once over all lanes that keep this process busy; shared among the lanes, each of which may open a few. */
const plenty = 64
const few = 2
/** A lane opens more than its share where what waits in it would otherwise take longer than this. */
const drainWithinMs = 500
const stuckMs = 50

/**
 * A lane for each webhook: so many of its deliveries are sent at once, the next as soon as one ends, without asking the
 * database in between. No lane waits for another.
 *
 * A lane takes its whole width only where that helps: opening a connection costs both sides more than ten messages over an
 * open one, and a receiver that answers at once is not quicker for having many.
 */
export class Lanes {
  readonly #options: LanesOptions
  readonly #byWebhook = new Map<string, Lane>()
  readonly #sends = new Set<Promise<void>>()

  constructor(options: LanesOptions) {
    this.#options = options
  }

  add(delivery: LeasedDelivery): void {
    const now = performance.now()
    let lane = this.#byWebhook.get(delivery.webhookId)
    if (lane === undefined) {
      lane = {
        open: 0,
        waiting: [],
        lastMs: undefined,
        movedAt: now,
        hasMoved: false,
        isStuck: false,
        watch: undefined,
      }
      this.#byWebhook.set(delivery.webhookId, lane)
    }
    lane.waiting.push({ delivery, since: now })
    this.#advance(delivery.webhookId, lane, now)
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

  #advance(webhookId: string, lane: Lane, now: number): void {
    const { mostWaitMs, onLeft } = this.#options
    const width = this.#widthOf(lane)
    while (lane.open < width) {
      const next = lane.waiting.shift()
      if (next === undefined) break
      if (now - next.since > mostWaitMs) onLeft(next.delivery, 'not begun')
      else this.#begin(webhookId, lane, next.delivery, now)
    }
    if (lane.open === 0 && lane.waiting.length === 0) {
      clearTimeout(lane.watch)
      this.#byWebhook.delete(webhookId)
    } else if (lane.waiting.length > 0 && lane.watch === undefined && !lane.isStuck) {
      lane.watch = setTimeout(() => this.#look(webhookId, lane), stuckMs)
    }
  }

  #widthOf({ open, waiting, lastMs, isStuck }: Lane): number {
    if (isStuck) return this.#options.width
    const helpful = Math.ceil(((open + waiting.length) * (lastMs ?? 0)) / drainWithinMs)
    const share = Math.floor(plenty / this.#byWebhook.size)
    return Math.min(this.#options.width, Math.max(few, share, helpful))
  }

  /** A receiver that hangs ends nothing, and would never show that it is slow. */
  #look(webhookId: string, lane: Lane): void {
    const now = performance.now()
    lane.watch = undefined
    lane.isStuck = lane.waiting.length > 0 && now - lane.movedAt >= stuckMs
    if (lane.isStuck) this.#options.onStuck(webhookId)
    this.#advance(webhookId, lane, now)
  }

  #begin(webhookId: string, lane: Lane, delivery: LeasedDelivery, begunAt: number): void {
    lane.open += 1
    const findsConnection = lane.hasMoved
    const send = this.#options.send(delivery).finally(() => {
      const now = performance.now()
      this.#sends.delete(send)
      lane.open -= 1
      lane.movedAt = now
      lane.hasMoved = true
      lane.isStuck = false
      if (findsConnection) lane.lastMs = now - begunAt
      this.#options.onLeft(delivery, 'ended')
      this.#advance(webhookId, lane, now)
    })
    this.#sends.add(send)
  }
}

import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'

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
  /** The most that were open at once: as many connections there are, or have been. */
  connections: number
  /** As many as it may open at present, where that is more than its share. */
  widened: number
  /** Nothing has ended for a while. */
  isStuck: boolean
  watch: NodeJS.Timeout | undefined
}

/** What ran dry lately still has its share: it will be needed again, and its connections are open. */
const keptMs = 5_000

/** Requests that are opened at once over all lanes; shared among them, and a few to each in any case. */
const plenty = 256
const few = 2
/**
 * A lane that is so many times slower than the others opens more than its share: one more for every attempt that shows it, and as many as
 * get what waits in it through within this time. Where all take long, this process or the machine has its hands full, and more
 * connections would not help.
 */
const muchSlower = 2
const drainWithinMs = 500
/** So long after anything has ended in a lane in which others wait, its receiver is taken to hang. */
const stuckMs = 500

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
  /** What an attempt over an open connection takes on the average of the last hundred or so. */
  #usualMs = 0
  #lookedForEmptyAt = 0

  constructor(options: LanesOptions) {
    this.#options = options
  }

  add(delivery: LeasedDelivery): void {
    const now = performance.now()
    let lane = this.#byWebhook.get(delivery.webhookId)
    if (lane === undefined) {
      this.#forgetEmpty(now)
      lane = {
        open: 0,
        waiting: [],
        lastMs: undefined,
        movedAt: now,
        connections: 0,
        widened: 0,
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

  /** Gives back all that was not begun, or what one webhook has of it. */
  empty(webhookId?: string): LeasedDelivery[] {
    const lanes = webhookId === undefined ? [...this.#byWebhook.values()] : [this.#byWebhook.get(webhookId)]
    return lanes.flatMap((lane) => lane?.waiting.splice(0).map(({ delivery }) => delivery) ?? [])
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
    if (lane.waiting.length > 0 && lane.watch === undefined && !lane.isStuck) {
      lane.watch = setTimeout(() => this.#look(webhookId, lane), stuckMs)
    }
  }

  #forgetEmpty(now: number): void {
    if (now - this.#lookedForEmptyAt < keptMs) return
    this.#lookedForEmptyAt = now
    for (const [webhookId, { open, waiting, movedAt }] of this.#byWebhook) {
      if (open === 0 && waiting.length === 0 && now - movedAt > keptMs) this.#byWebhook.delete(webhookId)
    }
  }

  #widthOf({ open, waiting, lastMs = 0, widened, isStuck }: Lane): number {
    if (isStuck) return this.#options.width
    const share = Math.max(few, Math.floor(plenty / this.#byWebhook.size))
    const helpful = Math.ceil(((open + waiting.length) * lastMs) / drainWithinMs)
    return Math.min(this.#options.width, Math.max(share, Math.min(widened, helpful)))
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
    // One that has to connect tells how busy both sides are with connecting, which more connections would not mend.
    const findsConnection = lane.open < lane.connections
    lane.open += 1
    lane.connections = Math.max(lane.connections, lane.open)
    const send = this.#options.send(delivery).finally(() => {
      const now = performance.now()
      this.#sends.delete(send)
      lane.open -= 1
      lane.movedAt = now
      lane.isStuck = false
      if (findsConnection) {
        lane.lastMs = now - begunAt
        lane.widened = lane.lastMs > muchSlower * this.#usualMs ? lane.connections + 1 : 0
        this.#usualMs += (lane.lastMs - this.#usualMs) / 100
      }
      this.#options.onLeft(delivery, 'ended')
      this.#advance(webhookId, lane, now)
    })
    this.#sends.add(send)
  }
}

import type { Room, SendingNow } from './slots.ts'

/** A webhook for which an event is being dispatched. */
export interface Receiver {
  webhookId: string
  isFailing: boolean
  /** False: events wait until it is verified. */
  takesEvents: boolean
  /** Something for it is due already and in nobody's hand. */
  hasBacklog: boolean
}

/** `now`: taken up. `soon`: there will be room in a moment, as far as its receiver is known. `later`: it has to wait in the queue. */
export type Turn = 'now' | 'soon' | 'later'

/** Deals out a worker's room to deliveries as they are made, in the order of their events; what waits already goes first. */
export class TakingUp {
  readonly #room: Room
  readonly #sending: SendingNow
  readonly #taken = new Map<string, number>()
  #slots: number
  #failingSlots: number
  #readySlots: number

  constructor(room: Room, sending: SendingNow) {
    this.#room = room
    this.#sending = sending
    this.#slots = room.slots
    this.#failingSlots = room.failingSlots
    this.#readySlots = room.readySlots
  }

  /** The turn of one more delivery to this webhook; where it is `now`, its place is taken. */
  turnOf({ webhookId, isFailing, takesEvents, hasBacklog }: Receiver): Turn {
    if (!takesEvents) return 'later'
    const otherwise = isFailing || this.#sending.slow.has(webhookId) ? 'later' : 'soon'
    if (hasBacklog) return otherwise
    const taken = this.#taken.get(webhookId) ?? 0
    const inHand = taken + (this.#sending.byWebhook.get(webhookId) ?? 0)
    const width = isFailing ? this.#room.perFailingWebhook : this.#room.perWebhook
    if (inHand < width) {
      if (this.#slots <= 0 || (isFailing && this.#failingSlots <= 0)) return otherwise
      this.#slots -= 1
      if (isFailing) this.#failingSlots -= 1
    } else {
      const mayLieReady = isFailing ? 0 : Math.min(this.#sending.quick.get(webhookId) ?? 0, this.#room.readyForQuick)
      if (inHand >= width + mayLieReady || this.#readySlots <= 0) return otherwise
      this.#readySlots -= 1
    }
    this.#taken.set(webhookId, taken + 1)
    return 'now'
  }
}

/** How many deliveries a worker takes up, and how they are dealt out. */
export interface SlotPolicy {
  slots: number
  perWebhook: number
  /** Beside those, for a receiver that answers at once: its next ones lie ready when one ends. For one, and for all together. */
  readyForQuick: number
  readySlots: number
  perFailingWebhook: number
}

/** What a worker has in hand at the moment. */
export interface SendingNow {
  /** Being sent, or as good as. */
  total: number
  toFailing: number
  /** Beside those, waiting for their turn at receivers that answer at once. */
  ready: number
  byWebhook: ReadonlyMap<string, number>
  /** Of these webhooks, those that were failing when something was last taken up for them, or have failed since. */
  failing: ReadonlySet<string>
  /** Webhooks whose receivers answered at once the last time, and how many may lie ready for each at that pace. */
  quick: ReadonlyMap<string, number>
  /** Webhooks whose receivers did not, or have not answered for a while. */
  slow: ReadonlySet<string>
}

/** What a worker may take up now. */
export interface Room {
  /** To be sent at once, of these to webhooks that are failing, and to each healthy and each failing one (what it has in hand counts). */
  slots: number
  failingSlots: number
  perWebhook: number
  perFailingWebhook: number
  /** Beside those to lie ready, and for each webhook that is quick. */
  readySlots: number
  readyForQuick: number
}

/** A worker that takes up deliveries. */
export interface OwnRoom {
  room: Room
  sending: SendingNow
  leaseSeconds: number
  /** `WEBHOOK_REQUIRE_VERIFICATION`: events wait until their webhook is verified. */
  requireVerification: boolean
}

/**
 * The room there is, dealt out so that however many receivers hang, the others find some: webhooks whose last attempt failed share at
 * most half of all slots; no webhook has more in hand than an eighth of what is free; and at most half of it is given out at
 * once, as nobody knows yet which of these receivers will answer. What lies ready for those that answer at once takes no
 * slot from anybody.
 */
export function roomFor(policy: SlotPolicy, sending: SendingNow): Room {
  const free = Math.max(0, policy.slots - sending.total)
  const fairShare = Math.ceil(free / 8)
  const perWebhook = Math.min(policy.perWebhook, fairShare)
  // While slots are short a lane is not filled, and what should lie ready would be sent at once.
  const readySlots = perWebhook < policy.perWebhook ? 0 : Math.max(0, policy.readySlots - sending.ready)
  return {
    slots: Math.ceil(free / 2),
    failingSlots: Math.max(0, Math.floor(policy.slots / 2) - sending.toFailing),
    perWebhook,
    perFailingWebhook: Math.min(policy.perFailingWebhook, fairShare),
    readySlots,
    readyForQuick: Math.min(policy.readyForQuick, Math.ceil(readySlots / 2)),
  }
}

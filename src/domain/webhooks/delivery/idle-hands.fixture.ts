import type { SendingNow } from './slots.ts'

/** A worker that has nothing in hand and knows of no receiver. */
export const idleHands: SendingNow = {
  total: 0,
  toFailing: 0,
  ready: 0,
  byWebhook: new Map(),
  failing: new Set(),
  quick: new Map(),
  slow: new Set(),
}

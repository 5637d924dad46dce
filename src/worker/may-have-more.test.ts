import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnRoom } from '../domain/webhooks/slots.ts'
import { leasedDelivery } from './leased-delivery.fixture.ts'
import { MayHaveMore } from './may-have-more.ts'

const own = (inHand: Record<string, number>, quick: Record<string, number> = {}): OwnRoom => ({
  room: { slots: 10, failingSlots: 5, perWebhook: 4, perFailingWebhook: 2, readySlots: 20, readyForQuick: 8 },
  sending: {
    total: 0,
    toFailing: 0,
    ready: 0,
    byWebhook: new Map(Object.entries(inHand)),
    quick: new Map(Object.entries(quick)),
    slow: new Set(),
  },
  leaseSeconds: 20,
  requireVerification: false,
})

test('another look is worth it, before the first lease and after one that used all room, for anybody', () => {
  const mayHaveMore = new MayHaveMore()
  assert.equal(mayHaveMore.has(leasedDelivery('a')), true)
  mayHaveMore.learn(Array(10).fill(leasedDelivery('a')), own({}))
  assert.equal(mayHaveMore.has(leasedDelivery('b')), true)
})

test('another look is worth it for whom the last brought something, whose hands were full, and who is failing', () => {
  const mayHaveMore = new MayHaveMore()
  mayHaveMore.learn([leasedDelivery('a')], own({ b: 4, c: 3, d: 8, e: 7 }, { d: 100, e: 100 }))
  const worth = (webhookId: string, isFailing = false) => mayHaveMore.has(leasedDelivery(webhookId, { isFailing }))
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((webhookId) => worth(webhookId)),
    [true, true, false, true, false],
  )
  assert.equal(worth('c', true), true)
})

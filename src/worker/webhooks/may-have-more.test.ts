import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idleHands } from '../../domain/webhooks/delivery/idle-hands.fixture.ts'
import type { OwnRoom } from '../../domain/webhooks/delivery/slots.ts'
import { leasedDelivery } from './leased-delivery.fixture.ts'
import { MayHaveMore } from './may-have-more.ts'

const policy = { perWebhook: 4, perFailingWebhook: 2 }

const own = (inHand: Record<string, number>, quick: Record<string, number> = {}, failing: string[] = []): OwnRoom => ({
  room: { slots: 10, failingSlots: 5, perWebhook: 4, perFailingWebhook: 2, readySlots: 20, readyForQuick: 8 },
  sending: {
    ...idleHands,
    byWebhook: new Map(Object.entries(inHand)),
    quick: new Map(Object.entries(quick)),
    failing: new Set(failing),
  },
  leaseSeconds: 20,
  requireVerification: false,
})

test('another look is worth it, before the first lease and after one that used all room, for anybody', () => {
  const mayHaveMore = new MayHaveMore(policy)
  assert.equal(mayHaveMore.has(leasedDelivery('a')), true)
  mayHaveMore.learn(Array(10).fill(leasedDelivery('a')), own({}))
  assert.equal(mayHaveMore.has(leasedDelivery('b')), true)
})

test('another look is worth it for whom the last brought something, and whose hands were full', () => {
  const mayHaveMore = new MayHaveMore(policy)
  const inHand = own({ b: 4, c: 3, d: 8, e: 7, f: 2, g: 1 }, { d: 100, e: 100 }, ['f', 'g'])
  mayHaveMore.learn([leasedDelivery('a')], inHand)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'].filter((webhookId) => mayHaveMore.has(leasedDelivery(webhookId))),
    ['a', 'b', 'd', 'f'],
  )
})

test('another look is worth it for every failing one, after a lease that used all their room', () => {
  const mayHaveMore = new MayHaveMore(policy)
  mayHaveMore.learn(Array(5).fill(leasedDelivery('a', { isFailing: true })), own({}))
  assert.equal(mayHaveMore.has(leasedDelivery('b', { isFailing: true })), true)
  assert.equal(mayHaveMore.has(leasedDelivery('b')), false)
})

test('what is due, where hands are full, is worth a look only when an attempt ends; elsewhere at once', () => {
  const mayHaveMore = new MayHaveMore(policy)
  const inHand = own({ full: 4, half: 2, failing: 2 }, {}, ['failing'])
  mayHaveMore.learn([], own({}))
  const worth = (webhookId: string) => [
    mayHaveMore.isWorthLooking(webhookId, inHand),
    mayHaveMore.has(leasedDelivery(webhookId)),
  ]
  assert.deepEqual(worth('full'), [false, true])
  assert.deepEqual(worth('half'), [true, false])
  assert.deepEqual(worth('failing'), [false, true])
  assert.deepEqual(worth('unknown'), [true, false])
})

test('what is due, while all room is taken, is worth a look when any attempt ends, or any of those it shares its room with', () => {
  const { room, sending } = own({ a: 1 }, {}, ['a'])
  const noFailing = new MayHaveMore(policy)
  noFailing.learn([], own({}))
  assert.equal(noFailing.isWorthLooking('a', { room: { ...room, failingSlots: 0 }, sending }), false)
  assert.deepEqual(
    [true, false].map((isFailing) => noFailing.has(leasedDelivery('b', { isFailing }))),
    [true, false],
  )
  assert.equal(noFailing.has(leasedDelivery('a')), true, 'its own, leased before it failed')
  const short = new MayHaveMore(policy)
  short.learn([], own({}))
  const fairShare = own({ d: 1 })
  assert.equal(short.isWorthLooking('d', { ...fairShare, room: { ...room, perWebhook: 1 } }), false)
  assert.equal(short.has(leasedDelivery('b')), true, 'its share grows when any other ends')
  const none = new MayHaveMore(policy)
  none.learn([], own({}))
  assert.equal(none.isWorthLooking('c', { room: { ...room, slots: 0 }, sending }), false)
  assert.equal(none.has(leasedDelivery('b')), true)
})

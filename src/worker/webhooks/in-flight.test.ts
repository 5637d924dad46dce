import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome } from '../../domain/webhooks/delivery/attempt.ts'
import { InFlight } from './in-flight.ts'
import { leasedDelivery } from './leased-delivery.fixture.ts'

test('what is in hand, when one webhook has more of it than is sent at once, counts as ready beyond that', () => {
  const inFlight = new InFlight(2)
  const counts = () => [inFlight.total, inFlight.ready, inFlight.toFailing]
  for (const webhookId of ['a', 'a', 'a', 'a', 'b']) inFlight.add(leasedDelivery(webhookId))
  inFlight.add(leasedDelivery('c', { isFailing: true }))
  assert.deepEqual(counts(), [4, 2, 1])
  inFlight.remove(leasedDelivery('a'))
  assert.deepEqual(counts(), [4, 1, 1])
  for (const webhookId of ['a', 'a', 'b']) inFlight.remove(leasedDelivery(webhookId))
  inFlight.remove(leasedDelivery('c', { isFailing: true }))
  assert.deepEqual([counts(), inFlight.byWebhook], [[1, 0, 0], new Map([['a', 1]])])
})

test('a receiver is quick, when its last message was taken at once, at the pace of that answer', () => {
  const inFlight = new InFlight(16)
  const after = (outcome: AttemptOutcome, durationMs: number) => {
    inFlight.learn('a', { outcome, durationMs })
    return [inFlight.quick.get('a'), inFlight.slow.has('a')]
  }
  assert.deepEqual(
    [after('accepted', 100), after('accepted', 130), after('accepted', 20), after('failed', 20)],
    [
      [304, false],
      [undefined, true],
      [1_520, false],
      [undefined, true],
    ],
  )
  after('accepted', 20)
  inFlight.markSlow('a')
  assert.deepEqual([inFlight.quick.size, [...inFlight.slow]], [0, ['a']])
})

test('receivers, when very many have been sent to, are forgotten in the order of their last answers', () => {
  const inFlight = new InFlight(16)
  for (let index = 0; index < 600; index += 1) {
    inFlight.learn(`webhook_${index}`, { outcome: 'accepted', durationMs: 20 })
    inFlight.learn('first', { outcome: 'accepted', durationMs: 20 })
  }
  assert.equal(inFlight.quick.size, 500)
  assert.deepEqual(
    ['first', 'webhook_0', 'webhook_599'].map((webhookId) => inFlight.quick.has(webhookId)),
    [true, false, true],
  )
})

test('a webhook is failing, from a lease that says so or a failure in hand, until the next that says otherwise or nothing is left', () => {
  const inFlight = new InFlight(16)
  const failing = () => [...inFlight.failing]
  inFlight.add(leasedDelivery('a', { isFailing: true }))
  inFlight.add(leasedDelivery('b'))
  assert.deepEqual(failing(), ['a'])
  inFlight.learn('a', { outcome: 'accepted', durationMs: 20 })
  inFlight.learn('b', { outcome: 'failed', durationMs: 20 })
  assert.deepEqual(failing(), ['a', 'b'])
  inFlight.add(leasedDelivery('a'))
  inFlight.remove(leasedDelivery('b'))
  assert.deepEqual(failing(), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a receiver is quick, when its last message was taken at once, until one was not or nothing is under way to it', () => {
  const inFlight = new InFlight(2)
  inFlight.add(leasedDelivery('a'))
  const isQuickAfter = (outcome: string, durationMs: number) => {
    inFlight.learn('a', { outcome, durationMs })
    return inFlight.quick.has('a')
  }
  assert.deepEqual(
    [
      isQuickAfter('accepted', 20),
      isQuickAfter('accepted', 130),
      isQuickAfter('accepted', 20),
      isQuickAfter('failed', 20),
    ],
    [true, false, true, false],
  )
  inFlight.learn('a', { outcome: 'accepted', durationMs: 20 })
  inFlight.remove(leasedDelivery('a'))
  assert.equal(inFlight.quick.has('a'), false)
})

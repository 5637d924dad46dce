import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { LeasedDelivery } from '../../domain/webhooks/delivery/leases.store.ts'
import { Lanes } from './lanes.ts'
import { leasedDelivery } from './leased-delivery.fixture.ts'

const delivery = (webhookId: string, deliveryId: string) => leasedDelivery(webhookId, { deliveryId })

/** Lanes whose sends end when they are told to. */
function openLanes(width: number, mostWaitMs = 60_000) {
  const open: { delivery: LeasedDelivery; end: () => void }[] = []
  const left: string[] = []
  const stuck: string[] = []
  const lanes = new Lanes({
    width,
    short: width,
    mostWaitMs,
    send: (one) => new Promise((resolve) => open.push({ delivery: one, end: resolve })),
    onStuck: (webhookId) => stuck.push(webhookId),
    onLeft: (one, end) => left.push(`${one.deliveryId} ${end}`),
  })
  const sent = () => open.map((one) => one.delivery.deliveryId)
  /** Ends what has been open for longest. */
  const endOne = async () => {
    open.shift()?.end()
    await sleep(0)
  }
  /** Ends what has been open for longest of those named so. */
  const endOneOf = async (name: string) => {
    const found = open.findIndex((one) => one.delivery.deliveryId.startsWith(name))
    open.splice(found, 1)[0]?.end()
    await sleep(0)
  }
  return { lanes, left, stuck, sent, endOne, endOneOf }
}

test('a lane, when it is given more than its width, sends so many and the next in order as each ends', async () => {
  const { lanes, left, sent, endOne } = openLanes(2)
  for (const id of ['a', 'b', 'c', 'd']) lanes.add(delivery('webhook_1', id))
  assert.deepEqual(sent(), ['a', 'b'])
  await endOne()
  assert.deepEqual(sent(), ['b', 'c'])
  await endOne()
  assert.deepEqual(
    [sent(), left],
    [
      ['c', 'd'],
      ['a ended', 'b ended'],
    ],
  )
})

test('lanes, when one is full and hangs, hold up no other', () => {
  const { lanes, sent } = openLanes(1)
  for (const id of ['a', 'b', 'c']) lanes.add(delivery('webhook_1', id))
  lanes.add(delivery('webhook_2', 'd'))
  assert.deepEqual(sent(), ['a', 'd'])
})

test('a delivery, when it has waited so long that its lease might end first, is given back instead of sent', async () => {
  const { lanes, left, sent, endOne } = openLanes(1, 30)
  lanes.add(delivery('webhook_1', 'a'))
  lanes.add(delivery('webhook_1', 'late'))
  await sleep(40)
  lanes.add(delivery('webhook_1', 'in time'))
  await endOne()
  assert.deepEqual([sent(), left], [['in time'], ['a ended', 'late not begun']])
})

test('lanes, when there are many, open a few requests each, and more to a receiver that is slow', async () => {
  const { lanes, sent, endOneOf } = openLanes(16)
  for (let lane = 0; lane < 150; lane += 1) lanes.add(delivery(`other_${lane}`, `other_${lane}`))
  for (let index = 0; index < 60; index += 1) lanes.add(delivery('webhook_1', `own_${index}`))
  const own = () => sent().filter((id) => id.startsWith('own')).length
  assert.equal(own(), 2)
  await sleep(35)
  // These tell nothing: each may have had to connect.
  await endOneOf('own')
  await endOneOf('own')
  assert.equal(own(), 2)
  for (const expected of [3, 4]) {
    await sleep(35)
    await endOneOf('own')
    assert.equal(own(), expected, 'one more for each that took long')
  }
})

test('a lane, when nothing ends in it for a while, opens its whole width and says so once', async () => {
  const { lanes, stuck, sent } = openLanes(16)
  for (let lane = 0; lane < 150; lane += 1) lanes.add(delivery(`other_${lane}`, `other_${lane}`))
  for (let index = 0; index < 20; index += 1) lanes.add(delivery('webhook_1', `own_${index}`))
  for (let waited = 0; stuck.length === 0 && waited < 10_000; waited += 50) await sleep(50)
  await sleep(50)
  assert.equal(sent().filter((id) => id.startsWith('own')).length, 16)
  assert.deepEqual(stuck, ['webhook_1'])
})

test('lanes, when they are emptied, give back what was not begun and wait for the rest', async () => {
  const { lanes, sent, endOne } = openLanes(1)
  for (const id of ['a', 'b']) lanes.add(delivery('webhook_1', id))
  lanes.add(delivery('webhook_2', 'c'))
  assert.deepEqual(
    lanes.empty().map(({ deliveryId }) => deliveryId),
    ['b'],
  )
  let isOver = false
  const ended = lanes.ended().then(() => {
    isOver = true
  })
  await endOne()
  assert.equal(isOver, false)
  await endOne()
  await ended
  assert.deepEqual(sent(), [])
})

test('lanes, whatever comes and ends in whatever order, send all, each once, and never more than their width', async () => {
  const step = fc.oneof(fc.constantFrom('webhook_1', 'webhook_2', 'webhook_3'), fc.constant('end'))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, width) => {
      const { lanes, left, sent, endOne } = openLanes(width)
      let count = 0
      for (const what of steps) {
        if (what === 'end') await endOne()
        else lanes.add(delivery(what, `${what} ${count++}`))
        for (const webhook of ['webhook_1', 'webhook_2', 'webhook_3'])
          assert(sent().filter((id) => id.startsWith(webhook)).length <= width)
      }
      while (sent().length > 0) await endOne()
      assert.equal(new Set(left).size, count)
      assert.equal(left.length, count)
    }),
    { numRuns: 40 },
  )
})

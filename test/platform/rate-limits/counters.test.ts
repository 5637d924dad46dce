import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryCounters } from '../../../src/platform/rate-limits/call-counter.ts'
import { holdTimeouts } from '../../support/held-timeouts.ts'

const counters = createMemoryCounters()
const minute = { name: 'test', quota: 5, windowSeconds: 60 }
const windowMs = 2_000

test('concurrent calls each see a different total', async () => {
  const counter = counters.open(minute)
  const counts = await Promise.all(Array.from({ length: 60 }, () => counter.add('concurrent', 1)))
  assert.deepEqual(
    counts.map(({ total }) => total).sort((one, other) => one - other),
    counts.map((_, index) => index + 1),
  )
})

test('reading the total does not change it, and a call that is subtracted again no longer counts', async () => {
  const counter = counters.open(minute)
  assert.deepEqual(await counter.read('read'), { total: 0, msLeft: 60_000 })
  assert.equal((await counter.add('read', 2)).total, 2)
  assert.equal((await counter.read('read')).total, 2)
  assert.equal((await counter.add('read', -1)).total, 1)
  assert.equal((await counter.read('read')).total, 1)
  assert.equal((await counter.read('never added')).total, 0)
})

test('a window ends on time, whatever calls are made in it, and the next call begins a new window', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  // A timer ends each window.
  holdTimeouts((ms) => ms === windowMs, t)
  const counter = counters.open({ name: 'short', quota: 1, windowSeconds: 2 })
  const first = await counter.add('window', 1)
  assert.ok(first.msLeft > 0 && first.msLeft <= windowMs)
  t.mock.timers.setTime(Date.now() + 400)
  const later = await counter.add('window', 1)
  assert.ok(later.msLeft > 0 && later.msLeft <= windowMs - 390, `${later.msLeft} ms left`)
  t.mock.timers.setTime(Date.now() + windowMs - 300)
  assert.equal((await counter.add('window', 1)).total, 1)
})

test('limits with different names count separately', async () => {
  await counters.open(minute).add('named', 3)
  assert.equal((await counters.open({ ...minute, name: 'other' }).add('named', 1)).total, 1)
})

import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { holdTimeouts } from '../../support/held-timeouts.ts'
import { allCounters } from './counters-under-test.ts'

const kinds = await allCounters()
after(() => Promise.all(kinds.map((each) => each.stop())))

const minute = { name: 'test', quota: 5, windowSeconds: 60 }
const windowMs = 2_000
let serial = 0
const newKey = () => {
  serial += 1
  return `key ${serial}`
}

/** Lets time pass for the counters. A real Redis uses its own clock. */
function clockOf(kind: string, t: TestContext): (ms: number) => Promise<void> {
  if (kind === 'a real Redis') return (ms) => sleep(ms)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  // The in-memory counters use a timer to end each window.
  holdTimeouts((ms) => ms === windowMs, t)
  return async (ms) => t.mock.timers.setTime(Date.now() + ms)
}

for (const { kind, connect, isShared } of kinds) {
  test(`${kind}: concurrent calls each see a different total, in any number of processes`, async () => {
    const processes = await Promise.all([connect(), connect(), connect()])
    const counters = processes.map((each) => each.open(minute))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: isShared ? 2 : 0 }), { maxLength: 60 }), async (calls) => {
        const key = newKey()
        const counts = await Promise.all(calls.map((index) => counters[index]?.add(key, 1)))
        assert.deepEqual(
          counts.map((count) => count?.total).sort((one, other) => Number(one) - Number(other)),
          calls.map((_, index) => index + 1),
        )
      }),
      { numRuns: 15 },
    )
  })

  test(`${kind}: reading the total does not change it, and a call that is subtracted again no longer counts`, async () => {
    const counter = (await connect()).open(minute)
    const key = newKey()
    assert.deepEqual(await counter.read(key), { total: 0, msLeft: 60_000 })
    assert.equal((await counter.add(key, 2)).total, 2)
    assert.equal((await counter.read(key)).total, 2)
    assert.equal((await counter.add(key, -1)).total, 1)
    assert.equal((await counter.read(key)).total, 1)
    assert.equal((await counter.read(newKey())).total, 0)
  })

  test(`${kind}: a window ends on time, whatever calls are made in it, and the next call begins a new window`, async (t) => {
    const pass = clockOf(kind, t)
    const counter = (await connect()).open({ name: 'short', quota: 1, windowSeconds: 2 })
    const key = newKey()
    const first = await counter.add(key, 1)
    assert.ok(first.msLeft > 0 && first.msLeft <= windowMs)
    await pass(400)
    const later = await counter.add(key, 1)
    assert.ok(later.msLeft > 0 && later.msLeft <= windowMs - 390, `${later.msLeft} ms left`)
    await pass(windowMs - 300)
    assert.deepEqual((await counter.add(key, 1)).total, 1)
  })

  test(`${kind}: limits with different names count separately`, async () => {
    const counters = await connect()
    const [one, other] = [counters.open(minute), counters.open({ ...minute, name: 'other' })]
    const key = newKey()
    await one.add(key, 3)
    assert.equal((await other.add(key, 1)).total, 1)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { CallCounter } from '../../domain/rate-limits/call-counter.ts'
import { createBorrowedCounters } from './borrowed.ts'
import { createCallLender } from './lender.ts'

/** A window that outlasts the test. */
const windowSeconds = 3_600

/** Processes that count together. `asked` counts their messages to the lender. */
function startProcesses(count: number): { counters: CallCounter[]; asked: () => number } {
  const lender = createCallLender(count)
  let asked = 0
  const counters = Array.from({ length: count }, () => {
    const borrower = { recall: (name: string) => borrowed.endLoan(name) }
    const borrowed = createBorrowedCounters({
      add: async (counted) => lender.add(counted),
      read: async (counted) => lender.read(counted),
      borrow: async (counted) => {
        asked += 1
        return lender.borrow(borrower, counted)
      },
    })
    return borrowed.counters.open({ name: 'default', quota: 100, windowSeconds })
  })
  return { counters, asked: () => asked }
}

test('however calls arrive at processes, exactly the quota is allowed, and no call is rejected while any is left', async () => {
  const scenario = fc.record({
    quota: fc.integer({ min: 1, max: 300 }),
    arrivals: fc.array(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 20 }), { minLength: 5, maxLength: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(scenario, async ({ quota, arrivals }) => {
      const { counters } = startProcesses(4)
      let arrived = 0
      let allowed = 0
      for (const together of arrivals) {
        const counts = await Promise.all(together.map((process) => counters[process]?.add('partner', 1, quota)))
        allowed += counts.filter((count) => (count?.total ?? 0) <= quota).length
        arrived += together.length
        assert.equal(allowed, Math.min(quota, arrived))
      }
    }),
    { numRuns: 100 },
  )
})

test('a thousand calls of a large quota need a few messages, and rejected calls none', async () => {
  const { counters, asked } = startProcesses(2)
  for (let call = 0; call < 1_000; call += 1) await counters[call % 2]?.add('partner', 1, 10_000)
  assert.ok(asked() <= 4, `${asked()} messages`)
  for (const counter of counters) for (let call = 0; call < 10_000; call += 1) await counter.add('partner', 1, 10_000)
  const before = asked()
  for (const counter of counters) assert.ok(((await counter.add('partner', 1, 10_000)).total ?? 0) > 10_000)
  assert.ok(before <= 100, `${before} messages`)
  assert.equal(asked(), before)
})

test('calls that are counted exactly get different totals and can be undone', async () => {
  const { counters } = startProcesses(2)
  const totals = []
  for (const counter of [...counters, ...counters]) totals.push((await counter.add('address', 1)).total)
  assert.deepEqual(totals, [1, 2, 3, 4])
  await counters[0]?.add('address', -2)
  assert.equal((await counters[1]?.read('address'))?.total, 2)
  assert.deepEqual(await counters[1]?.read('another'), { total: 0, msLeft: windowSeconds * 1_000 })
})

test('calls are rejected while the lender does not answer', async () => {
  const { counters } = createBorrowedCounters({
    add: () => Promise.reject(new Error('no answer')),
    read: () => Promise.reject(new Error('no answer')),
    borrow: () => Promise.reject(new Error('no answer')),
  })
  const counter = counters.open({ name: 'default', quota: 100, windowSeconds })
  for (const counting of [counter.add('a', 1, 100), counter.add('a', 1), counter.read('a')])
    await assert.rejects(counting, { code: 'service_unavailable' })
})

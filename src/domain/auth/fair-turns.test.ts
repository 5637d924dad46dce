import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairTurns } from './fair-turns.ts'

/** Work that ends on demand, and records that it began. */
function controlled(began: string[]) {
  const ends: (() => void)[] = []
  return {
    work: (name: string) => () => {
      began.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    },
    async endOne() {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

test('work, when one caller queues a lot, alternates between callers and never exceeds the concurrency limit', async () => {
  const began: string[] = []
  const { work, endOne } = controlled(began)
  const turns = createFairTurns({ atOnce: 2, waitingPerCaller: 10, waiting: 100 })
  const results = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'].map((name) =>
    turns.take(name.slice(0, 1), work(name)),
  )
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(began, ['a1', 'a2'])
  for (let ended = 0; ended < 8; ended += 1) {
    await endOne()
    assert.equal(began.length, Math.min(8, ended + 3))
  }
  assert.deepEqual(began, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5'])
  assert.deepEqual(await Promise.all(results), ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'])
})

test('work, when a caller or the whole queue is full, is rejected with service_unavailable', async () => {
  const { work, endOne } = controlled([])
  const turns = createFairTurns({ atOnce: 1, waitingPerCaller: 2, waiting: 3 })
  const kept = ['a', 'a', 'a', 'b'].map((caller) => turns.take(caller, work(caller)))
  const full = { code: 'service_unavailable', retryAfterSeconds: 2 }
  await assert.rejects(turns.take('a', work('a')), full)
  await assert.rejects(turns.take('c', work('c')), full)
  for (let ended = 0; ended < 4; ended += 1) await endOne()
  assert.deepEqual(await Promise.all(kept), ['a', 'a', 'a', 'b'])
})

test('work, when it fails, lets the next one run', async () => {
  const turns = createFairTurns({ atOnce: 1, waitingPerCaller: 2, waiting: 3 })
  const failing = turns.take('a', () => Promise.reject(new Error('broken')))
  const next = turns.take('a', () => Promise.resolve('served'))
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'served')
  assert.equal(await turns.take('b', () => Promise.resolve('and again')), 'and again')
})

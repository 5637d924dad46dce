import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue } from './fair-queue.ts'

/** Creates tasks that record when they start. Each call of `endOne` ends the oldest task that is still running. */
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

test('callers take turns even if one of them queues a lot of work, and the concurrency limit is never exceeded', async () => {
  const began: string[] = []
  const { work, endOne } = controlled(began)
  const queue = createFairQueue({ concurrency: 2, maxWaitingPerCaller: 10, maxWaiting: 100, whenFull: 'Retry later.' })
  const results = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1', 'b2'].map((name) =>
    queue.run(name.slice(0, 1), work(name)),
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

test('work is rejected with service_unavailable when the caller’s share or the whole queue is full', async () => {
  const { work, endOne } = controlled([])
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 2, maxWaiting: 3, whenFull: 'Retry later.' })
  const kept = ['a', 'a', 'a', 'b'].map((caller) => queue.run(caller, work(caller)))
  const full = { code: 'service_unavailable', retryAfterSeconds: 2 }
  await assert.rejects(queue.run('a', work('a')), full)
  await assert.rejects(queue.run('c', work('c')), full)
  for (let ended = 0; ended < 4; ended += 1) await endOne()
  assert.deepEqual(await Promise.all(kept), ['a', 'a', 'a', 'b'])
})

test('waiting work runs even if the work before it fails', async () => {
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 2, maxWaiting: 3, whenFull: 'Retry later.' })
  const failing = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => Promise.resolve('served'))
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'served')
  assert.equal(await queue.run('b', () => Promise.resolve('and again')), 'and again')
})

test('work of trusted callers runs before all other waiting work, and has room when the queue of the others is full', async () => {
  const began: string[] = []
  const { work, endOne } = controlled(began)
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 1, maxWaiting: 3, whenFull: 'Retry later.' })
  const strangers = ['a', 'b', 'c', 'd'].map((caller) => queue.run(caller, work(caller)))
  await assert.rejects(queue.run('e', work('e')), { code: 'service_unavailable' })
  const known = queue.run('f', work('f'), true)
  for (let ended = 0; ended < 5; ended += 1) await endOne()
  assert.deepEqual(began, ['a', 'f', 'b', 'c', 'd'])
  assert.deepEqual(await Promise.all([...strangers, known]), ['a', 'b', 'c', 'd', 'f'])
})

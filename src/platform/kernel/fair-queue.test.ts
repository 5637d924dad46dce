import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFairQueue } from './fair-queue.ts'

const whenFull = () => new Error('full')

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
  const queue = createFairQueue({ concurrency: 2, maxWaitingPerCaller: 10, maxWaiting: 100 }, whenFull)
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

test('work is rejected when the caller’s share is full, or the whole queue is and nobody has more waiting', async () => {
  const { work, endOne } = controlled([])
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 2, maxWaiting: 3 }, whenFull)
  const kept = ['a', 'a', 'a', 'b'].map((caller) => queue.run(caller, work(caller)))
  const full = /full/
  await assert.rejects(queue.run('a', work('a')), full)
  await assert.rejects(queue.run('b', work('b')), full)
  for (let ended = 0; ended < 4; ended += 1) await endOne()
  assert.deepEqual(await Promise.all(kept), ['a', 'a', 'a', 'b'])
})

test('waiting work runs even if the work before it fails', async () => {
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 2, maxWaiting: 3 }, whenFull)
  const failing = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', () => Promise.resolve('served'))
  await assert.rejects(failing, /broken/)
  assert.equal(await next, 'served')
  assert.equal(await queue.run('b', () => Promise.resolve('and again')), 'and again')
})

test('waiting work whose signal aborts leaves the queue at once and makes room; work that runs is not affected', async () => {
  const began: string[] = []
  const { work, endOne } = controlled(began)
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 1, maxWaiting: 1 }, whenFull)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = queue.run('a', work('a'), { signal: running.signal })
  const second = queue.run('b', work('b'), { signal: waiting.signal })
  const stopped = assert.rejects(second, /stopped waiting/)
  running.abort(new Error('too late'))
  waiting.abort(new Error('stopped waiting'))
  await stopped
  await assert.rejects(queue.run('b', work('b'), { signal: waiting.signal }), /stopped waiting/)
  const third = queue.run('c', work('c'))
  for (let ended = 0; ended < 2; ended += 1) await endOne()
  assert.deepEqual([await first, await third, began], ['a', 'c', ['a', 'c']])
  assert.equal(queue.isBusy(), false)
})

test('whatever callers ask and however many stop waiting, nothing is lost, and no caller starts twice while another waits', async () => {
  const asks = fc.array(fc.record({ caller: fc.constantFrom('a', 'b', 'c'), stops: fc.boolean() }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(asks, fc.integer({ min: 1, max: 4 }), async (given, concurrency) => {
      const began: string[] = []
      const { work, endOne } = controlled(began)
      const queue = createFairQueue({ concurrency, maxWaitingPerCaller: 100, maxWaiting: 100 }, whenFull)
      const results = given.map(({ caller, stops }) => {
        const stop = new AbortController()
        const result = queue.run(caller, work(caller), { signal: stop.signal }).catch(() => 'stopped')
        if (stops) stop.abort(new Error('stopped'))
        return result
      })
      await new Promise((resolve) => setImmediate(resolve))
      const stayed = given.filter(({ stops }, index) => !stops || index < concurrency).map(({ caller }) => caller)
      const left: string[] = stayed.slice(concurrency)
      for (let round = 0; round < stayed.length; round += 1) {
        assert.equal(began.length, Math.min(stayed.length, concurrency + round))
        const [next, after] = [began[concurrency + round - 1], began[concurrency + round]]
        if (round > 0 && next !== undefined) left.splice(left.indexOf(next), 1)
        if (after === next && after !== undefined) assert.deepEqual(new Set(left), new Set([after]))
        await endOne()
      }
      assert.equal((await Promise.all(results)).filter((result) => result !== 'stopped').length, stayed.length)
      assert.equal(queue.isBusy(), false)
    }),
    { numRuns: 200 },
  )
})

test('when the queue is full, a caller with few waiting tasks gets the place of the newest task of the caller with the most', async () => {
  const began: string[] = []
  const { work, endOne } = controlled(began)
  const queue = createFairQueue({ concurrency: 1, maxWaitingPerCaller: 9, maxWaiting: 4 }, whenFull)
  const run = (name: string) => queue.run(name.slice(0, 1), work(name)).catch(({ message }: Error) => message)
  const results = ['a0', 'a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2', 'a5'].map(run)
  for (let ended = 0; ended < 9; ended += 1) await endOne()
  assert.deepEqual(began, ['a0', 'a1', 'b1', 'c1', 'a2'])
  assert.deepEqual(await Promise.all(results), ['a0', 'a1', 'a2', 'full', 'full', 'b1', 'c1', 'full', 'full'])
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLoop } from './loop.ts'

const unexpected = (error: unknown) => {
  throw error
}

/** Lets everything happen that waits for no time to pass. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Counts runs, of which the first `busy` find more to do, on a clock that moves only when it is told to. */
function countRuns({ mock }: TestContext, busy: number, pauses: { shortestPauseMs: number; longestPauseMs: number }) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let runs = 0
  const run = async () => {
    runs += 1
    return runs <= busy ? 'more' : 'idle'
  }
  const loop = startLoop({ run, onError: unexpected, ...pauses })
  const runsAfter = async (ms: number) => {
    mock.timers.tick(ms)
    await settled()
    return runs
  }
  return { loop, runsAfter }
}

test('a loop, while there is more, runs on at once, and pauses ever longer when there is not', async (t) => {
  const { loop, runsAfter } = countRuns(t, 4, { shortestPauseMs: 10, longestPauseMs: 40 })
  assert.equal(await runsAfter(0), 5)
  let runs = 5
  for (const pauseMs of [10, 20, 40, 40]) {
    assert.equal(await runsAfter(pauseMs - 1), runs, `before a pause of ${pauseMs} ms is over`)
    runs += 1
    assert.equal(await runsAfter(1), runs, `after a pause of ${pauseMs} ms`)
  }
  await loop.stop()
  assert.equal(await runsAfter(1_000), runs)
})

test('a loop, when woken in a pause, runs at once and looks again soon after', async (t) => {
  const { loop, runsAfter } = countRuns(t, 0, { shortestPauseMs: 20, longestPauseMs: 60_000 })
  for (const pauseMs of [0, 20, 40, 80]) await runsAfter(pauseMs)
  assert.equal(await runsAfter(100), 4)
  loop.wake()
  assert.equal(await runsAfter(0), 5)
  assert.equal(await runsAfter(19), 5)
  assert.equal(await runsAfter(1), 6)
  await loop.stop()
})

test('a loop, when woken while it runs, runs once more, and never two at a time', async () => {
  let running = 0
  let mostRunning = 0
  let runs = 0
  const loop = startLoop({
    run: async () => {
      running += 1
      mostRunning = Math.max(mostRunning, running)
      runs += 1
      await sleep(10)
      running -= 1
      return 'idle'
    },
    onError: unexpected,
    shortestPauseMs: 60_000,
    longestPauseMs: 60_000,
  })
  for (let count = 0; count < 5; count += 1) loop.wake()
  await sleep(60)
  assert.equal(runs, 2)
  loop.wake()
  await loop.stop()
  assert.deepEqual([running, mostRunning], [0, 1])
})

test('a loop, when a run fails, says so and goes on', async () => {
  const errors: unknown[] = []
  let runs = 0
  const loop = startLoop({
    run: async () => {
      runs += 1
      if (runs === 1) throw new Error('first')
      return 'idle'
    },
    onError: (error) => errors.push(error),
    longestPauseMs: 5,
  })
  while (runs < 2) await sleep(5)
  await loop.stop()
  assert.deepEqual(errors, [new Error('first')])
})

test('a loop that rests, when it is woken again and again, begins no two runs within that time, and misses nothing', async () => {
  const begun: number[] = []
  let asked = 0
  let seen = 0
  const loop = startLoop({
    run: async () => {
      begun.push(performance.now())
      const isNew = asked > seen
      seen = asked
      return isNew ? 'more' : 'idle'
    },
    onError: assert.ifError,
    longestPauseMs: 10_000,
    restMs: () => 30,
  })
  for (let count = 0; count < 40; count += 1) {
    asked += 1
    loop.wake()
    await sleep(4)
  }
  while (seen < 40) await sleep(5)
  await loop.stop()
  // All together, as a busy machine may halt between a run's beginning and its note of the time: that shortens only the gap after it.
  const tookMs = (begun.at(-1) ?? 0) - (begun[0] ?? 0)
  assert(begun.length > 2 && begun.length - 1 <= tookMs / 28, `${begun.length} runs in ${tookMs} ms`)
})

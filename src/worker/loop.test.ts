import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLoop } from './loop.ts'

const unexpected = (error: unknown) => {
  throw error
}

test('a loop, while there is more, runs on at once, and pauses ever longer when there is not', async () => {
  const times: number[] = []
  const loop = startLoop({
    run: async () => {
      times.push(performance.now())
      return times.length < 5 ? 'more' : 'idle'
    },
    onError: unexpected,
    shortestPauseMs: 10,
    longestPauseMs: 40,
  })
  await sleep(160)
  await loop.stop()
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  assert(
    gaps.slice(0, 4).every((gap) => gap < 9),
    String(gaps),
  )
  assert((gaps[4] ?? 0) >= 9 && (gaps[5] ?? 0) >= 19 && (gaps[6] ?? 0) >= 39, String(gaps))
  assert(times.length <= 10)
})

test('a loop, when woken in a pause, runs at once and looks again soon after', async () => {
  const times: number[] = []
  const loop = startLoop({
    run: async () => {
      times.push(performance.now())
      return 'idle'
    },
    onError: unexpected,
    shortestPauseMs: 20,
    longestPauseMs: 60_000,
  })
  while (times.length < 4) await sleep(5)
  const wokenAt = performance.now()
  loop.wake()
  while (times.length < 6) await sleep(5)
  await loop.stop()
  assert((times[4] ?? 0) - wokenAt < 20)
  assert((times[5] ?? 0) - (times[4] ?? 0) < 60)
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
  await sleep(80)
  await loop.stop()
  assert.equal(seen, 40)
  // A timer may end a fraction of a millisecond early.
  const gaps = begun.slice(1).map((at, index) => at - (begun[index] ?? 0))
  assert(Math.min(...gaps) > 28, `${gaps}`)
})

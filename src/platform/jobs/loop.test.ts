import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startLoop } from './loop.ts'

/** Runs everything that is not waiting for a timer. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/**
 * A loop over two kinds of work, on a clock that the test moves. `after` advances the clock and returns what was done
 * since the last call.
 */
function watchedLoop(
  { mock }: TestContext,
  options: { shortestPauseMs: number; longestPauseMs: number; restMs?: number },
  find: (kind: 'first' | 'second') => Promise<('first' | 'second')[]> = async () => [],
) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let done: string[] = []
  const errors: unknown[] = []
  const step = (kind: 'first' | 'second') => () => {
    done.push(kind)
    return find(kind)
  }
  const loop = startLoop({
    steps: { first: step('first'), second: step('second') },
    onError: (kind, error) => errors.push([kind, error]),
    ...options,
    longestPauseMs: () => options.longestPauseMs,
  })
  const after = async (ms: number) => {
    mock.timers.tick(ms)
    await settled()
    const since = done
    done = []
    return since
  }
  return { loop, after, errors }
}

const everything = ['first', 'second']

test('while there is nothing to do, a loop checks everything again and again, with longer and longer pauses', async (t) => {
  const { loop, after } = watchedLoop(t, { shortestPauseMs: 10, longestPauseMs: 40 })
  assert.deepEqual(await after(0), everything)
  for (const pauseMs of [10, 20, 40, 40]) {
    assert.deepEqual(await after(pauseMs - 1), [], `before a pause of ${pauseMs} ms is over`)
    assert.deepEqual(await after(1), everything, `after a pause of ${pauseMs} ms`)
  }
  await loop.stop()
  assert.deepEqual(await after(1_000), [])
})

test('a loop that is woken during a pause does the announced work immediately and checks everything soon after', async (t) => {
  const { loop, after } = watchedLoop(t, { shortestPauseMs: 20, longestPauseMs: 60_000 })
  for (const pauseMs of [0, 20, 40, 80]) await after(pauseMs)
  assert.deepEqual(await after(100), [])
  loop.wake(['second'])
  assert.deepEqual(await after(0), ['second'])
  assert.deepEqual(await after(19), [])
  assert.deepEqual(await after(1), everything)
  await loop.stop()
})

test('work that one step creates for another is done in the same round if the other step comes later, otherwise in the next round', async (t) => {
  let rounds = 0
  const { loop, after } = watchedLoop(t, { shortestPauseMs: 20, longestPauseMs: 60_000 }, async (kind) => {
    if (kind === 'second') rounds += 1
    return kind === 'second' && rounds < 3 ? ['first'] : kind === 'first' ? ['second'] : []
  })
  assert.deepEqual(await after(0), [...everything, ...everything, ...everything])
  await loop.stop()
})

test('if a loop is woken during a round, it starts another only after that round ends, so that two never run at once', async (t) => {
  const ends: (() => void)[] = []
  const { loop, after } = watchedLoop(t, { shortestPauseMs: 20, longestPauseMs: 60_000 }, async () => {
    await new Promise<void>((resolve) => ends.push(resolve))
    return []
  })
  assert.deepEqual(await after(0), ['first'])
  loop.wake(['first'])
  assert.deepEqual(await after(0), [])
  ends.shift()?.()
  assert.deepEqual(await after(0), ['second'])
  ends.shift()?.()
  assert.deepEqual(await after(0), ['first'])
  const stopped = loop.stop()
  ends.shift()?.()
  await stopped
})

test('if a step fails, the loop runs the other steps and checks everything after a second, not sooner, even if it is woken', async (t) => {
  let fails = true
  const failure = new Error('no')
  const { loop, after, errors } = watchedLoop(t, { shortestPauseMs: 20, longestPauseMs: 60_000 }, async (kind) => {
    if (fails && kind === 'first') throw failure
    return []
  })
  assert.deepEqual(await after(0), everything)
  assert.deepEqual(errors, [['first', failure]])
  fails = false
  loop.wake(['first'])
  assert.deepEqual(await after(999), [])
  assert.deepEqual(await after(1), everything)
  await loop.stop()
})

test('rounds start at least `restMs` apart, even if the loop is woken in quick succession', async (t) => {
  const { loop, after } = watchedLoop(t, { shortestPauseMs: 60_000, longestPauseMs: 60_000, restMs: 1_000 })
  assert.deepEqual(await after(0), everything)
  loop.wake(['first'])
  loop.wake(['first'])
  assert.deepEqual(await after(0), [])
  t.mock.timers.tick(1_000)
  assert.deepEqual(await after(0), ['first'])
  await loop.stop()
})

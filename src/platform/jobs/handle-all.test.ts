import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handleAll, handleInParallel } from './handle-all.ts'

const due = [1, 2, 3, 4, 5]

/** Handles what is due, two at a time. Nothing is ever done with, so each batch after the first needs its position. */
async function run({ failing = [], until = due.length }: { failing?: readonly number[]; until?: number }) {
  const handled: number[] = []
  const outcome = await handleAll<number>({
    listAfter: async (after = 0) => due.filter((each) => each > after).slice(0, 2),
    async handle(each) {
      handled.push(each)
      if (failing.includes(each)) throw new Error(`${each} failed`)
    },
    batch: 2,
    isStopping: () => handled.length >= until,
  }).then(
    () => 'done',
    (error: unknown) => String(error),
  )
  return { handled, outcome }
}

test('everything is handled once, however much of it fails, and the first failure is thrown after all', async () => {
  assert.deepEqual(await run({ failing: [] }), { handled: due, outcome: 'done' })
  assert.deepEqual(await run({ failing: [1, 2, 4] }), { handled: due, outcome: 'Error: 1 failed' })
})

test('once told to stop, nothing more is handled, and what failed before is thrown', async () => {
  assert.deepEqual(await run({ until: 0 }), { handled: [], outcome: 'done' })
  assert.deepEqual(await run({ failing: [3], until: 3 }), { handled: [1, 2, 3], outcome: 'Error: 3 failed' })
})

test('what waits for others runs beside them: each begins in its order, at most so many at once, and of one key only one', async () => {
  const started: number[] = []
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let isStopping = false
  const outcome = handleInParallel<number>({
    listAfter: async (after = 0) => due.filter((each) => each > after).slice(0, 2),
    async start(each) {
      started.push(each)
      const ends = Promise.withResolvers<unknown>()
      open.set(each, ends)
      return async () => void (await ends.promise)
    },
    // 2 and 4 have one key.
    keyOf: (each) => String(each === 4 ? 2 : each),
    parallel: 3,
    batch: 2,
    isStopping: () => isStopping,
  }).then(
    () => 'done',
    (error: unknown) => `${error}, still open: ${open.size}`,
  )
  const settled = () => new Promise<void>((resolve) => setImmediate(() => resolve()))
  const end = async (each: number, how: 'resolve' | 'reject' = 'resolve') => {
    open.get(each)?.[how](new Error(`${each} failed`))
    open.delete(each)
    await settled()
  }
  await settled()
  assert.deepEqual(started, [1, 2, 3])
  await end(3)
  assert.deepEqual(started, [1, 2, 3], '4 waits for 2')
  await end(2, 'reject')
  assert.deepEqual(started, [1, 2, 3, 4, 5])
  isStopping = true
  await end(1)
  await end(5)
  assert.equal(await Promise.race([outcome, settled()]), undefined, 'it waits for what runs')
  await end(4)
  assert.equal(await outcome, 'Error: 2 failed, still open: 0')
})

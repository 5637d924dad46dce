import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handleAll } from './handle-all.ts'

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

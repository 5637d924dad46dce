import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OneAtATime } from './one-at-a-time.ts'

test('work, when one piece takes its time and one fails, is done in order, one piece at a time', async () => {
  const oneAtATime = new OneAtATime()
  const said: string[] = []
  const piece = (name: string, ms: number) => async () => {
    said.push(`${name} begins`)
    await sleep(ms)
    said.push(`${name} ends`)
    if (name === 'second') throw new Error(name)
    return name
  }
  const all = await Promise.allSettled([
    oneAtATime.run(piece('first', 15)),
    oneAtATime.run(piece('second', 5)),
    oneAtATime.run(piece('third', 0)),
  ])
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(
    said,
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

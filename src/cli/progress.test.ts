import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProgress } from './progress.ts'

/** A terminal that keeps what was written, and a clock that the test sets. */
function terminal(isTTY: boolean) {
  const written: string[] = []
  const clock = { ms: 5_000 }
  const stream = { isTTY, write: (text: string) => written.push(text) }
  return { written, clock, progress: createProgress('rows', stream, () => clock.ms) }
}

const newLine = '\r\u001b[K'

test('progress shows the share done, the count, the rate and the time left', () => {
  const { written, clock, progress } = terminal(true)
  progress.update(0, 0)
  clock.ms += 10_000
  progress.update(1_500_000, 0.25)
  clock.ms += 10_000
  progress.update(3_000_000, 0.999)
  progress.clear()
  assert.deepEqual(written, [
    `${newLine}0 %  0 rows`,
    `${newLine}25 %  1,500,000 rows  150,000/s  30 s left`,
    `${newLine}99 %  3,000,000 rows  150,000/s  1 s left`,
    newLine,
  ])
})

test('the rate and the time left of continued work ignore what was done before', () => {
  const { written, clock, progress } = terminal(true)
  progress.update(9_000_000, 0.5)
  clock.ms += 60_000
  progress.update(9_600_000, 0.505)
  assert.equal(written.at(-1), `${newLine}50 %  9,600,000 rows  10,000/s  1 h 39 min left`)
})

test('work of unknown size has a count and a rate only', () => {
  const { written, clock, progress } = terminal(true)
  progress.update(10, undefined)
  clock.ms += 1_000
  progress.update(40, undefined)
  assert.equal(written.at(-1), `${newLine}40 rows  30/s`)
})

test('progress is shown ten times a second at most, and outside a terminal as a line every ten seconds', () => {
  const { written, clock, progress } = terminal(true)
  for (let update = 0; update < 100; update += 1, clock.ms += 10) progress.update(update, update / 100)
  assert.equal(written.length, 10)

  const file = terminal(false)
  for (let update = 0; update <= 25; update += 1, file.clock.ms += 1_000) file.progress.update(update, update / 50)
  file.progress.clear()
  assert.deepEqual(file.written, ['20 %  10 rows  1/s  40 s left\n', '40 %  20 rows  1/s  30 s left\n'])
})

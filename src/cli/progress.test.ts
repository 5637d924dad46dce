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

test('progress is shown ten times a second at most, and outside a terminal as a line every ten seconds', () => {
  const { written, clock, progress } = terminal(true)
  for (let update = 0; update < 100; update += 1, clock.ms += 10) progress.update(1_000 * update, update / 100)
  progress.update(100_000, undefined)
  progress.clear()
  assert.equal(written.length, 12)
  assert.deepEqual(written.slice(-3), ['\r\u001b[K90 %  90,000 rows', '\r\u001b[K100,000 rows', '\r\u001b[K'])

  const file = terminal(false)
  for (let update = 0; update <= 25; update += 1, file.clock.ms += 1_000) file.progress.update(update, update / 50)
  file.progress.clear()
  assert.deepEqual(file.written, ['20 %  10 rows\n', '40 %  20 rows\n'])
})

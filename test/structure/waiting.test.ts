import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingLines, typeScript } from './tree.ts'

/*
 * Tests wait for events and states with `waitFor`, and end time limits with `holdTimeouts` or a clock that they move. A pause of a
 * length that somebody thought long enough, and an assertion of how long something took, fail on a machine that is busy.
 */

/** Files that read the clock, and why they may. */
const readsClock = new Map([
  ['test/support/wait-for.ts', 'its ceiling of 60 s, which only a failure pays'],
  ['test/crash/campaign.ts', 'how long load lasts before a kill, and a line of its report'],
  ['test/fuzz/campaign.ts', 'the requests a second of its report'],
  ['test/state/world.ts', 'the order of calls that ran side by side'],
])

const tests = typeScript.filter(
  ({ path }) => /^test\/|\.test\.ts$/.test(path) && path !== 'test/structure/waiting.test.ts',
)

test('a pause in a test, whatever it is for, is shorter than 100 ms', () => {
  const fromHundred = String.raw`([1-9]\d{2,}|[1-9][\d_]*_\d{3})`
  const pauses = new RegExp(
    String.raw`\b(sleep|pause|delay)\(${fromHundred}\b|setTimeout\((resolve|\(\) => resolve\(\)), ${fromHundred}\b`,
  )
  assert.deepEqual(matchingLines(tests, pauses), [])
})

test('the clock of a test, unless it is for a report or a ceiling, is not read: nothing asserts how long something took', () => {
  const clocks = matchingLines(tests, /\bperformance\.now\(\)|\bDate\.now\(\) - (begun|began|start)/).map(
    (place) => place.split(':')[0] ?? '',
  )
  assert.deepEqual(new Set(clocks), new Set(readsClock.keys()))
})

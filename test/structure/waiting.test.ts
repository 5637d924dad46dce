import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchingLines, typeScriptFiles } from './tree.ts'

/*
 * Tests wait for events and states with `waitFor`, and end time limits with `holdTimeouts` or a clock that they move. A test that
 * relies on a pause being long enough, or asserts how long something took, fails on a busy machine.
 */

/** Files that read the clock, and why they may. */
const readsClock = new Map([
  ['test/support/wait-for.ts', 'its limit of 60 s, which only a failing test reaches'],
  ['test/crash/campaign.ts', 'limits the time under load before each kill, and reports how long each restart takes'],
  ['test/fuzz/campaign.ts', 'the requests per second in its report'],
  ['test/state/world.ts', 'the order of calls that ran concurrently'],
  ['test/operations/sandbox/test-errors.test.ts', 'a delay that was asked for is a lower bound, on a busy machine too'],
])

const tests = typeScriptFiles.filter(
  ({ path }) => /^test\/|\.test\.ts$/.test(path) && path !== 'test/structure/waiting.test.ts',
)

test('every fixed pause in a test is shorter than 100 ms', () => {
  const fromHundred = String.raw`([1-9]\d{2,}|[1-9][\d_]*_\d{3})`
  const pauses = new RegExp(
    String.raw`\b(sleep|pause|delay)\(${fromHundred}\b|setTimeout\((resolve|\(\) => resolve\(\)), ${fromHundred}\b`,
  )
  assert.deepEqual(matchingLines(tests, pauses), [])
})

test('tests read the clock only to report a duration or enforce a time limit, never to assert how long something took', () => {
  const clocks = matchingLines(tests, /\bperformance\.now\(\)|\bDate\.now\(\) - (begun|began|start)/).map(
    (place) => place.split(':')[0] ?? '',
  )
  assert.deepEqual(new Set(clocks), new Set(readsClock.keys()))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'

/** How often the tests of a file tried to reach another partner's rows, and how many of those attempts failed. */
export interface ForeignAccesses {
  tried: number
  rejected: number
}

/** Creates the counters for a test file. `reportForeignAccesses` reports what they have counted. */
export function newForeignAccessCounters(): ForeignAccesses {
  return { tried: 0, rejected: 0 }
}

/** Call this after all other tests are defined. */
export function reportForeignAccesses(accesses: ForeignAccesses): void {
  test('foreign accesses were all rejected', (t) => {
    t.diagnostic(`foreign accesses attempted: ${accesses.tried}, rejected: ${accesses.rejected}`)
    assert.ok(accesses.tried > 0)
    assert.equal(accesses.rejected, accesses.tried)
  })
}

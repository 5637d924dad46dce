import assert from 'node:assert/strict'
import { test } from 'node:test'

/** The number of attempts to reach another partner's rows in a test file, and how many of them failed. */
export interface ForeignAccesses {
  tried: number
  refused: number
}

/** Creates the counters for a test file. `reportForeignAccesses` reports what they have counted. */
export function countForeignAccesses(): ForeignAccesses {
  return { tried: 0, refused: 0 }
}

/** Call this after all other tests are defined. */
export function reportForeignAccesses(accesses: ForeignAccesses): void {
  test('foreign accesses were all rejected', (t) => {
    t.diagnostic(`foreign accesses attempted: ${accesses.tried}, rejected: ${accesses.refused}`)
    assert.ok(accesses.tried > 0)
    assert.equal(accesses.refused, accesses.tried)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'

/** Accesses to another partner's rows: those that a test file has tried, and those that came to nothing. */
export interface ForeignAccesses {
  tried: number
  refused: number
}

/** Counts for this test file. The last test that it defines says what it came to. */
export function countForeignAccesses(): ForeignAccesses {
  return { tried: 0, refused: 0 }
}

/** To be called after all other tests are defined. */
export function tellForeignAccesses(accesses: ForeignAccesses): void {
  test('foreign accesses, when all are through, were refused, every one', (t) => {
    t.diagnostic(`foreign accesses tried: ${accesses.tried}, refused: ${accesses.refused}`)
    assert.ok(accesses.tried > 0)
    assert.equal(accesses.refused, accesses.tried)
  })
}

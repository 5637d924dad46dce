import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SeenUprns } from './seen-uprns.ts'

test('for any UPRN, firstLine returns the same line as a simple Map from each UPRN to its first line', () => {
  const uprn = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 999_999_999_999 })).map(String)
  fc.assert(
    fc.property(fc.array(uprn, { maxLength: 300 }), (uprns) => {
      const seen = new SeenUprns()
      const expected = new Map<string, number>()
      for (const [index, each] of uprns.entries()) {
        assert.equal(seen.firstLine(each, index + 1), expected.get(each) ?? null)
        if (!expected.has(each)) expected.set(each, index + 1)
      }
    }),
  )
})

test('leading zeros do not make a UPRN different', () => {
  const seen = new SeenUprns()
  assert.equal(seen.firstLine('000000012345', 2), null)
  assert.equal(seen.firstLine('12345', 3), 2)
})

test('200,000 UPRNs from nine ranges of numbers are all found and use at most 6 MiB', () => {
  const seen = new SeenUprns()
  const uprns = Array.from({ length: 200_000 }, (_, index) =>
    String(100_000_000_000 * (index % 9) + 10_000_000 + index),
  )
  for (const [index, uprn] of uprns.entries()) assert.equal(seen.firstLine(uprn, index + 2), null)
  for (const [index, uprn] of uprns.entries()) assert.equal(seen.firstLine(uprn, 0), index + 2)
  assert.ok(seen.bytes <= 6 * 1024 * 1024, `${seen.bytes} bytes`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asLocalTime, fromLocalTime, moment } from './in-words.ts'

test('a time is shown in UK time with its zone, in winter and in summer', () => {
  assert.match(moment('2026-11-20T09:29:10.080Z').markup, />20 Nov 2026, 09:29:10 GMT</)
  assert.match(moment('2026-07-01T23:30:00.000Z').markup, />2 Jul 2026, 00:30:00 BST</)
})

test('a field for a time is read as UK time, also in the hours in which the clocks change', () => {
  for (const [field, instant] of [
    ['2026-11-20T09:00', '2026-11-20T09:00:00.000Z'],
    ['2026-07-01T09:00:30', '2026-07-01T08:00:30.000Z'],
    ['2026-03-29T01:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:00', '2026-10-25T02:00:00.000Z'],
    ['', undefined],
    ['yesterday', undefined],
  ] as const)
    assert.equal(fromLocalTime(field), instant, field)
})

test('an instant that is written into a field is read back to the second, or an hour earlier where it comes twice', () => {
  const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, (given) => {
      const instant = new Date(Math.floor(given.getTime() / 1_000) * 1_000)
      const back = Date.parse(fromLocalTime(asLocalTime(instant.toISOString())) ?? '')
      assert.ok([0, -3_600_000].includes(back - instant.getTime()), instant.toISOString())
    }),
  )
})

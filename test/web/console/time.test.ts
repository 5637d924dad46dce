import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clampToRetentionPeriod, fromDatetimeLocal, momentInWords, toDatetimeLocal } from '../../../console/time.ts'

test('a time is shown in UK form with its zone, in winter and in summer', () => {
  assert.equal(momentInWords('2026-11-20T09:29:10.080Z'), '20 Nov 2026, 09:29:10 GMT')
  assert.equal(momentInWords('2026-07-01T23:30:00.000Z'), '2 Jul 2026, 00:30:00 BST')
})

test('a time field is read as UK time, including in the hours in which the clocks change', () => {
  for (const [field, instant] of [
    ['2026-11-20T09:00', '2026-11-20T09:00:00.000Z'],
    ['2026-07-01T09:00:30', '2026-07-01T08:00:30.000Z'],
    ['2026-03-29T00:59', '2026-03-29T00:59:00.000Z'],
    ['2026-03-29T01:30', '2026-03-29T01:30:00.000Z'],
    ['2026-03-29T02:00', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T01:30', '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:00', '2026-10-25T02:00:00.000Z'],
  ] as const)
    assert.equal(fromDatetimeLocal(field), instant, field)
  assert.equal(fromDatetimeLocal(''), undefined)
  assert.equal(fromDatetimeLocal('yesterday'), undefined)
})

test('an instant written into a field and read back is the same to the second, except in the hour repeated when clocks go back', () => {
  const noInvalidDate = true
  const moments = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate })
  fc.assert(
    fc.property(moments, (moment) => {
      const wholeSeconds = new Date(Math.floor(moment.getTime() / 1_000) * 1_000)
      const back = Date.parse(fromDatetimeLocal(toDatetimeLocal(wholeSeconds.toISOString())) ?? '')
      assert.ok([0, -3_600_000].includes(back - wholeSeconds.getTime()), moment.toISOString())
    }),
  )
})

test('a time before the retention limit is replaced by the limit; a later time is left unchanged', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')
  assert.equal(clampToRetentionPeriod('2026-11-19T12:00:00.000Z', now), '2026-11-19T12:00:00.000Z')
  assert.equal(clampToRetentionPeriod('2026-01-01T00:00:00.000Z', now), '2026-10-21T12:01:00.000Z')
})

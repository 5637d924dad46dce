import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, addMonths, daysBetween, type IsoDate, isIsoDate, londonDate, weekday } from './dates.ts'

const firstDay = Temporal.PlainDate.from('1900-01-01')
const days = fc.integer({ min: 0, max: 109_000 }).map((count) => firstDay.add({ days: count }).toString() as IsoDate)

test('days are added and counted as the calendar does', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -900, max: 900 }), (date, count) => {
      const expected = Temporal.PlainDate.from(date).add({ days: count }).toString()
      assert.equal(addDays(date, count), expected)
      assert.equal(daysBetween(date, expected as IsoDate), count)
    }),
  )
})

test('months are added as the calendar does, clipped to the last day of the month', () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -40, max: 40 }), (date, months) => {
      assert.equal(addMonths(date, months), Temporal.PlainDate.from(date).add({ months }).toString())
    }),
  )
  assert.equal(addMonths('2028-01-31' as IsoDate, 1), '2028-02-29')
})

test('the weekday is that of the calendar', () => {
  fc.assert(fc.property(days, (date) => assert.equal(weekday(date), Temporal.PlainDate.from(date).dayOfWeek)))
})

test('a text is a date only if the calendar has that day', () => {
  const parts = fc.tuple(
    fc.integer({ min: 1890, max: 2210 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      const inRange = year >= 1900 && year < 2200
      const exists =
        month >= 1 && month <= 12 && day >= 1 && day <= Temporal.PlainYearMonth.from({ year, month }).daysInMonth
      const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
      assert.equal(isIsoDate(text), inRange && exists, text)
    }),
  )
  for (const text of ['', '2026-1-1', '2026-01-01T00:00', '+002026-01-01', '2026-01-0a'])
    assert.equal(isIsoDate(text), false)
})

test('the date in London is that of its clock, also within an hour of a change of the clock', () => {
  const changes = ['2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-07-01T23:00Z', '2026-12-01T00:00Z'].map(Date.parse)
  const nearOne = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -9_000_000, max: 9_000_000 }))
  fc.assert(
    fc.property(nearOne, ([change, distance]) => {
      const instant = new Date(change + distance)
      const there = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO('Europe/London')
      assert.equal(londonDate(instant), there.toPlainDate().toString())
    }),
  )
})

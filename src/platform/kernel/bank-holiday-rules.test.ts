import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { bankHolidaysByRule, type HolidayDivision, holidayDivisions } from './bank-holiday-rules.ts'
import { addDays, isoDate, weekday } from './dates.ts'
import { parseBankHolidays } from './working-days.ts'

const table = parseBankHolidays(
  readFileSync(new URL('../../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)

/**
 * Holidays that were proclaimed for one year only: no rule gives them. List each one here when you add it to the table.
 */
const proclaimed = [['scotland', '2026-06-15', 'the World Cup']] as const

test('the rules give every holiday of every year in the table, except the proclaimed ones', () => {
  for (const division of holidayDivisions) {
    const years = new Set([...table[division].days].map((day) => Number(day.slice(0, 4))))
    const byRule = [...years].flatMap((year) => bankHolidaysByRule(division, year))
    const oneOff = proclaimed.filter(([where]) => where === division).map(([, day]) => isoDate(day))
    assert.deepEqual([...byRule, ...oneOff].sort(), [...table[division].days].sort(), division)
  }
})

test('a weekend moves a holiday to the next weekday that is not one itself', () => {
  const christmas = (division: HolidayDivision, year: number) => bankHolidaysByRule(division, year).slice(-2)
  // In 2033 Christmas Day is a Sunday: Boxing Day keeps its Monday, and Christmas Day takes the Tuesday.
  assert.deepEqual(christmas('england-and-wales', 2033), ['2033-12-26', '2033-12-27'])
  assert.deepEqual(christmas('scotland', 2032), ['2032-12-27', '2032-12-28'])
  assert.deepEqual(bankHolidaysByRule('scotland', 2034).slice(0, 2), ['2034-01-02', '2034-01-03'])
  assert.deepEqual(bankHolidaysByRule('scotland', 2033).slice(0, 2), ['2033-01-03', '2033-01-04'])
  assert.ok(bankHolidaysByRule('scotland', 2030).includes(isoDate('2030-12-02')))
  assert.ok(bankHolidaysByRule('northern-ireland', 2029).includes(isoDate('2029-03-19')))
  assert.ok(bankHolidaysByRule('northern-ireland', 2031).includes(isoDate('2031-07-14')))
})

test('Easter Monday of years with an early, a late and a corrected Easter is right', () => {
  for (const day of ['2008-03-24', '2011-04-25', '2024-04-01', '2038-04-26', '2049-04-19', '2076-04-20'])
    assert.ok(bankHolidaysByRule('england-and-wales', Number(day.slice(0, 4))).includes(isoDate(day)), day)
})

test('in any year, each division has its number of holidays, all different weekdays, with Easter in its five weeks', () => {
  const expected = { 'england-and-wales': 8, scotland: 9, 'northern-ireland': 10 }
  fc.assert(
    fc.property(fc.integer({ min: 1900, max: 2199 }), fc.constantFrom(...holidayDivisions), (year, division) => {
      const days = bankHolidaysByRule(division, year)
      assert.equal(new Set(days).size, expected[division])
      for (const day of days) assert.ok(weekday(day) <= 5 && day.startsWith(`${year}-`))
      const goodFriday = days.find((day) => weekday(day) === 5 && day >= `${year}-03-20` && day <= `${year}-04-23`)
      assert.ok(goodFriday !== undefined, `${year}`)
      assert.equal(days.includes(addDays(goodFriday, 3)), division !== 'scotland')
    }),
  )
})

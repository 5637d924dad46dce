import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isoDate } from './dates.ts'
import {
  addWorkingDays,
  divisionOfCountry,
  divisionsEndingSoon,
  type HolidayDivision,
  isWorkingDay,
  nextWorkingDay,
  parseBankHolidays,
} from './working-days.ts'

const table = readFileSync(new URL('../../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8')
const holidays = parseBankHolidays(table)

const works = (day: string, division: HolidayDivision) => isWorkingDay(isoDate(day), division, holidays)
const next = (day: string, division: HolidayDivision) => nextWorkingDay(isoDate(day), division, holidays)
const after = (day: string, count: number, division: HolidayDivision) =>
  addWorkingDays(isoDate(day), count, division, holidays)

test('the shipped table covers every division to the end of 2028', () => {
  assert.equal(holidays['england-and-wales'].days.size, 8 * 3)
  assert.equal(holidays.scotland.days.size, 10 + 9 + 9)
  assert.equal(holidays['northern-ireland'].days.size, 10 * 3)
  for (const { coveredUntil } of Object.values(holidays)) assert.equal(coveredUntil, '2028-12-31')
})

test('a working day of a division is a day from Monday to Friday that is not a holiday there', () => {
  assert.ok(works('2027-01-08', 'england-and-wales'))
  assert.ok(!works('2027-01-09', 'england-and-wales'))
  assert.ok(!works('2027-01-10', 'england-and-wales'))
  assert.ok(works('2027-01-04', 'england-and-wales'))
  assert.ok(!works('2027-01-04', 'scotland'))
  assert.ok(!works('2026-06-15', 'scotland'))
  assert.ok(works('2027-03-29', 'scotland'))
  assert.ok(!works('2027-03-29', 'england-and-wales'))
  assert.ok(!works('2027-07-12', 'northern-ireland'))
})

test('nextWorkingDay returns a working day unchanged, and otherwise the first working day after it', () => {
  assert.equal(next('2027-01-08', 'scotland'), '2027-01-08')
  assert.equal(next('2027-01-01', 'england-and-wales'), '2027-01-04')
  assert.equal(next('2027-01-01', 'scotland'), '2027-01-05')
  assert.equal(next('2027-12-25', 'england-and-wales'), '2027-12-29')
})

test('addWorkingDays starts counting on the following day and skips Easter', () => {
  assert.equal(after('2027-03-25', 1, 'england-and-wales'), '2027-03-30')
  assert.equal(after('2027-03-25', 1, 'scotland'), '2027-03-29')
  assert.equal(after('2027-03-25', 0, 'scotland'), '2027-03-25')
  assert.equal(after('2027-01-09', 5, 'england-and-wales'), '2027-01-15')
})

test('after the end of the table, bank holidays are worked out by the rules of the division', () => {
  assert.ok(!works('2029-12-25', 'england-and-wales'))
  assert.ok(!works('2029-12-29', 'england-and-wales'))
  assert.ok(!works('2029-01-02', 'scotland'))
  assert.ok(works('2029-01-02', 'england-and-wales'))
  assert.equal(next('2029-03-30', 'england-and-wales'), '2029-04-03')
  assert.equal(next('2029-03-30', 'scotland'), '2029-04-02')
})

test('in the years of the table, only the table counts', () => {
  const days = new Set([...holidays.scotland.days].filter((day) => day !== '2027-05-03'))
  const changed = { ...holidays, scotland: { ...holidays.scotland, days } }
  assert.ok(isWorkingDay(isoDate('2027-05-03'), 'scotland', changed))
})

test('divisionsEndingSoon names the divisions whose table has less than a year left', () => {
  assert.deepEqual(divisionsEndingSoon(holidays, isoDate('2027-12-31')), [])
  assert.deepEqual(divisionsEndingSoon(holidays, isoDate('2028-01-01')), [
    'england-and-wales',
    'scotland',
    'northern-ireland',
  ])
})

test('a country has the holidays of its division; unknown countries use England and Wales', () => {
  assert.equal(divisionOfCountry('Scotland'), 'scotland')
  assert.equal(divisionOfCountry(' SCOTLAND '), 'scotland')
  assert.equal(divisionOfCountry('Northern Ireland'), 'northern-ireland')
  for (const country of ['England', 'Wales', 'United Kingdom', '']) {
    assert.equal(divisionOfCountry(country), 'england-and-wales')
  }
})

const header = 'division,date,title,substitute_day'
const complete = [
  'england-and-wales,2030-01-01,"New Year, first day",false',
  'scotland,2030-01-02,2nd January,false',
  'northern-ireland,2031-03-17,St Patrick,false',
]

test('quoted holiday names, a byte order mark and both line endings are accepted', () => {
  const read = parseBankHolidays(`\uFEFF${[header, ...complete, ''].join('\r\n')}`)
  assert.ok(read['england-and-wales'].days.has(isoDate('2030-01-01')))
  assert.equal(read.scotland.coveredUntil, '2030-12-31')
  assert.equal(read['northern-ireland'].coveredUntil, '2031-12-31')
})

test('an unusable table is rejected and the error names the row', () => {
  const read = (...rows: string[]) => parseBankHolidays(rows.join('\n'))
  assert.throws(() => read('region,date,title,substitute_day', ...complete), /expected the columns/)
  assert.throws(() => read(''), /expected the columns/)
  assert.throws(() => read(header, ...complete, 'wales,2030-03-01,St David,false'), /row 4: unknown division: wales/)
  assert.throws(() => read(header, 'scotland,2030-02-30,No day,false'), /row 1: not a calendar day: 2030-02-30/)
  assert.throws(() => read(header, ...complete.slice(0, 2)), /none for northern-ireland/)
  assert.throws(() => read(header, ...complete, 'scotland,2030-12-25'), /Invalid Record Length/)
})

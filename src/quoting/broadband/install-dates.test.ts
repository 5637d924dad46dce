import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDays, isoDate } from '../../platform/kernel/dates.ts'
import { type HolidayDivision, isWorkingDay, parseBankHolidays } from '../../platform/kernel/working-days.ts'
import { fallbackInstallDates } from './schedule-broadband.ts'

const holidays = parseBankHolidays(
  readFileSync(new URL('../../../reference-data/uk-bank-holidays.csv', import.meta.url), 'utf8'),
)

function dates(today: string, contractStart: string, division: HolidayDivision = 'england-and-wales') {
  return fallbackInstallDates({ today: isoDate(today), contractStartDate: isoDate(contractStart), division, holidays })
}

test('the first date is ten working days ahead, even across Christmas and New Year', () => {
  // The ten working days after Sunday 20 December 2026 are 21–24 and 29–31 December, and 4–6 January.
  const offered = dates('2026-12-20', '2026-12-21')
  assert.equal(offered[0], '2027-01-06')
  assert.equal(offered[1], '2027-01-07')
  assert.equal(offered.length, 20)
  // 4 January is a holiday in Scotland.
  assert.equal(dates('2026-12-20', '2026-12-21', 'scotland')[0], '2027-01-07')
})

test('if the contract starts more than ten working days from today, the first date is the first working day on or after its start', () => {
  assert.equal(dates('2027-01-04', '2027-02-10')[0], '2027-02-10')
  assert.equal(dates('2027-01-04', '2027-02-13')[0], '2027-02-15')
  assert.equal(dates('2027-01-04', '2027-01-18')[0], '2027-01-18')
  assert.equal(dates('2027-01-04', '2027-01-17')[0], '2027-01-18')
})

test('there are always twenty dates, all working days in ascending order', () => {
  fc.assert(
    fc.property(
      fc.nat(900),
      fc.nat(400),
      fc.constantFrom<HolidayDivision[]>('england-and-wales', 'scotland', 'northern-ireland'),
      (ahead, startsIn, division) => {
        const today = addDays(isoDate('2026-06-01'), ahead)
        const contractStartDate = addDays(today, startsIn)
        const offered = fallbackInstallDates({ today, contractStartDate, division, holidays })
        assert.equal(offered.length, 20)
        assert.ok((offered[0] ?? '') >= contractStartDate)
        for (const [index, day] of offered.entries()) {
          assert.ok(isWorkingDay(day, division, holidays))
          const next = offered[index + 1]
          if (next !== undefined) assert.ok(day < next)
        }
      },
    ),
    { numRuns: 50 },
  )
})

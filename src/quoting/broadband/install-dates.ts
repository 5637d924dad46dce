import { type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import {
  addWorkingDays,
  type BankHolidays,
  type HolidayDivision,
  nextWorkingDay,
} from '../../platform/kernel/working-days.ts'

interface FallbackInstallDatesInput {
  today: IsoDate
  contractStartDate: IsoDate
  division: HolidayDivision
  holidays: BankHolidays
}

/** The time a provider needs to arrange a visit. */
const workingDaysAhead = 10
const datesOffered = 20

/**
 * The install dates to use when the provider returns none (docs/api-behaviour.md#install-dates): 20 working days in the
 * property's nation, in ascending order. The first is at least 10 working days after today and not before the contract
 * starts.
 */
export function fallbackInstallDates(input: FallbackInstallDatesInput): IsoDate[] {
  const { today, contractStartDate, division, holidays } = input
  const soonest = addWorkingDays(today, workingDaysAhead, division, holidays)
  const first = nextWorkingDay(laterOf(soonest, contractStartDate), division, holidays)
  return Array.from({ length: datesOffered }, (_, index) => addWorkingDays(first, index, division, holidays))
}

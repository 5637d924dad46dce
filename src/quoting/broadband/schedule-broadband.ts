import { type IsoDate, laterOf } from '../../platform/kernel/dates.ts'
import {
  addWorkingDays,
  type BankHolidays,
  divisionOfCountry,
  type HolidayDivision,
  nextWorkingDay,
} from '../../platform/kernel/working-days.ts'
import { addWarnings } from '../pricing/warnings/stored-warning.ts'
import type { Quote } from '../quotes/quote.ts'

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

type BroadbandDates = Pick<Quote, 'broadbandStartDate' | 'selectedInstallDate' | 'priceWarnings'>

/**
 * When a quote's broadband starts if its contract has these dates. A selected install date is kept while it is to come,
 * within the contract and among the install dates that were found; otherwise it is dropped with a warning.
 */
export function scheduleBroadband(
  quote: Pick<Quote, 'broadbandProducts' | 'broadbandInstallDates' | 'address'> & BroadbandDates,
  { contractStartDate, contractEndDate }: Pick<Quote, 'contractStartDate' | 'contractEndDate'>,
  today: IsoDate,
  holidays: BankHolidays,
): BroadbandDates {
  const { selectedInstallDate: selected, priceWarnings } = quote
  if (quote.broadbandProducts.length === 0) {
    return { broadbandStartDate: null, selectedInstallDate: null, priceWarnings }
  }
  const fits = selected !== null && selected > today && selected >= contractStartDate && selected <= contractEndDate
  if (fits && quote.broadbandInstallDates.includes(selected)) {
    return { broadbandStartDate: selected, selectedInstallDate: selected, priceWarnings }
  }
  return {
    broadbandStartDate: earliestStart(quote, contractStartDate, today, holidays),
    selectedInstallDate: null,
    priceWarnings:
      selected === null
        ? priceWarnings
        : addWarnings(priceWarnings, [{ code: 'install_date_dropped', date: selected }]),
  }
}

/**
 * Of the install dates found when the products were added, the earliest that is not before the contract start. If the
 * current start date is not after today, or no date fits, the working-day rule applies instead
 * (docs/api-behaviour.md#broadband-in-the-price).
 */
function earliestStart(
  quote: Pick<Quote, 'broadbandInstallDates' | 'broadbandStartDate' | 'address'>,
  contractStartDate: IsoDate,
  today: IsoDate,
  holidays: BankHolidays,
): IsoDate {
  const found = quote.broadbandStartDate
  const hasPassed = found !== null && found <= today
  const stillFits = hasPassed ? undefined : earliestFrom(quote.broadbandInstallDates, contractStartDate)
  if (stillFits !== undefined) return stillFits
  const division = divisionOfCountry(quote.address.country)
  return fallbackInstallDates({ today, contractStartDate, division, holidays })[0] ?? contractStartDate
}

/** The earliest of these dates that is not before `from`; undefined if there is none. */
export function earliestFrom(dates: readonly IsoDate[], from: IsoDate): IsoDate | undefined {
  return dates.filter((date) => date >= from).sort()[0]
}

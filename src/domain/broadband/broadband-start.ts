import type { IsoDate } from '../../kernel/dates.ts'
import { type BankHolidays, divisionOfCountry } from '../../kernel/working-days.ts'
import type { Quote } from '../quotes/quote.ts'
import { fallbackInstallDates } from './install-dates.ts'

/**
 * The day on which a quote's broadband starts if its contract starts on `contractStartDate`. Of the install dates found when the
 * products were added, this is the earliest that is not before the contract start. If the current start date has passed, or no date
 * fits, the working-day rule applies instead (docs/api-behaviour.md#broadband-in-the-price). Null if the quote has no products.
 */
export function broadbandStart(
  quote: Pick<Quote, 'broadbandProducts' | 'broadbandInstallDates' | 'broadbandStartDate' | 'address'>,
  contractStartDate: IsoDate,
  today: IsoDate,
  holidays: BankHolidays,
): IsoDate | null {
  if (quote.broadbandProducts.length === 0) return null
  const found = quote.broadbandStartDate
  const hasPassed = found !== null && found < today
  const stillFits = hasPassed ? undefined : earliestFrom(quote.broadbandInstallDates, contractStartDate)
  if (stillFits !== undefined) return stillFits
  const division = divisionOfCountry(quote.address.country)
  return fallbackInstallDates({ today, contractStartDate, division, holidays })[0] ?? contractStartDate
}

function earliestFrom(dates: readonly IsoDate[], from: IsoDate): IsoDate | undefined {
  return dates.filter((date) => date >= from).sort()[0]
}

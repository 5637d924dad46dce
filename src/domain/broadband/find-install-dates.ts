import { addDays, type IsoDate, laterOf } from '../../kernel/dates.ts'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { type BankHolidays, divisionOfCountry } from '../../kernel/working-days.ts'
import type { Home } from './home.ts'
import type { HomeTelecom } from './home-telecom.ts'
import { fallbackInstallDates } from './install-dates.ts'

interface InstallDatesInput {
  /** `country` decides whose bank holidays count where the provider names no date. */
  home: Home & { country: string }
  /** At least one. */
  productIds: readonly string[]
  today: IsoDate
  contractStartDate: IsoDate
}

/**
 * The days on which broadband products can be installed: ascending, distinct, after today, not before the contract
 * starts, never empty. They are the provider's; if it names none or does not respond, working days
 * (docs/api-behaviour.md#install-dates). Calls an outside system, so do not call this inside a transaction.
 */
export async function findInstallDates(
  { homeTelecom, bankHolidays }: { homeTelecom: HomeTelecom; bankHolidays: BankHolidays },
  { home, productIds, today, contractStartDate }: InstallDatesInput,
): Promise<IsoDate[]> {
  const earliest = laterOf(addDays(today, 1), contractStartDate)
  const offered = await askProvider(homeTelecom, home, { productIds, orderDate: today, earliest })
  const usable = [...new Set(offered)].filter((date) => date >= earliest).sort()
  if (usable.length > 0) return usable
  const division = divisionOfCountry(home.country)
  return fallbackInstallDates({ today, contractStartDate, division, holidays: bankHolidays })
}

async function askProvider(
  homeTelecom: HomeTelecom,
  home: Home,
  wish: Parameters<HomeTelecom['listInstallDates']>[1],
): Promise<IsoDate[]> {
  try {
    return await homeTelecom.listInstallDates(home, wish)
  } catch (error) {
    // The way out has told the operator; the working-day rule is what the household is offered then.
    if (error instanceof UpstreamFailure) return []
    throw error
  }
}

import type { Caller } from '../partners/caller.ts'
import type { Database } from '../platform/db/database.ts'
import { addDays, type IsoDate, laterOf, londonDate } from '../platform/kernel/dates.ts'
import { UpstreamFailure } from '../platform/kernel/upstream-failure.ts'
import { type BankHolidays, divisionOfCountry } from '../platform/kernel/working-days.ts'
import { fallbackInstallDates } from '../quoting/broadband/schedule-broadband.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import type { HomeTelecom, PropertyLocation } from './broadband-providers.ts'
import { type BroadbandUpstreams, upstreamsForProperty } from './upstreams-for-property.ts'

interface InstallDatesInput {
  /** `country` determines which bank holidays apply if the provider returns no dates. */
  property: PropertyLocation & { country: string }
  /** The products to install; at least one. */
  productIds: readonly string[]
  today: IsoDate
  contractStartDate: IsoDate
}

/**
 * The days on which broadband products can be installed: ascending, distinct, after today, not before the contract
 * starts, never empty. The days come from the provider. If the provider returns none or does not respond, working days
 * are used instead (docs/api-behaviour.md#install-dates). Calls an external system, so do not call this inside a
 * transaction.
 *
 * @internal Tests call it with a provider of their own.
 */
export async function findInstallDates(
  { homeTelecom, bankHolidays }: { homeTelecom: HomeTelecom; bankHolidays: BankHolidays },
  { property, productIds, today, contractStartDate }: InstallDatesInput,
): Promise<IsoDate[]> {
  const earliest = laterOf(addDays(today, 1), contractStartDate)
  const offered = await queryProvider(homeTelecom, property, { productIds, orderDate: today, earliest })
  const usable = [...new Set(offered)].filter((date) => date >= earliest).sort()
  if (usable.length > 0) return usable
  const division = divisionOfCountry(property.country)
  return fallbackInstallDates({ today, contractStartDate, division, holidays: bankHolidays })
}

async function queryProvider(
  homeTelecom: HomeTelecom,
  property: PropertyLocation,
  request: Parameters<HomeTelecom['listInstallDates']>[1],
): Promise<IsoDate[]> {
  try {
    return await homeTelecom.listInstallDates(property, request)
  } catch (error) {
    // The outbound client has already logged the failure. The caller falls back to working days.
    if (error instanceof UpstreamFailure) return []
    throw error
  }
}

export interface InstallDatesDependencies extends BroadbandUpstreams {
  db: Database
  bankHolidays: BankHolidays
}

/**
 * Asks the provider on which days it can install these products at the quote's property, as `findInstallDates`
 * describes. Leaves out days after the contract's end, unless there are no others. Calls an external system, so do not
 * call this inside a transaction.
 */
export async function askInstallDates(
  deps: InstallDatesDependencies,
  caller: Caller,
  { address, contractStartDate, contractEndDate }: Pick<Quote, 'address' | 'contractStartDate' | 'contractEndDate'>,
  products: readonly BroadbandProduct[],
): Promise<IsoDate[]> {
  const { addressUid, uprn, postCode, country } = address
  const { homeTelecom } = await upstreamsForProperty(deps, caller, addressUid)
  const dates = await findInstallDates(
    { homeTelecom: homeTelecom.port, bankHolidays: deps.bankHolidays },
    {
      property: { uprn, postcode: postCode, country },
      productIds: products.map(({ productId }) => productId),
      today: londonDate(caller.now),
      contractStartDate,
    },
  )
  const withinContract = dates.filter((date) => date <= contractEndDate)
  return withinContract.length > 0 ? withinContract : dates
}

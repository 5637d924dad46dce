import type { Caller } from '../partners/caller.ts'
import type { Database } from '../platform/db/database.ts'
import { type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { BroadbandProduct } from '../quoting/packages/package.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { findInstallDates } from './find-install-dates.ts'
import { type BroadbandUpstreams, upstreamsForProperty } from './upstreams-for-property.ts'

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

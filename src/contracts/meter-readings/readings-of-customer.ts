import type { Queryable } from '../../platform/db/database.ts'
import { addDays, earlierOf, type IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { moveInDay } from '../../quoting/quotes/occupiers.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import type { Contract } from '../contract.ts'
import { listContracts } from '../contracts.store.ts'
import type { MeterReading } from './meter-reading.ts'
import { listReadings } from './meter-readings.store.ts'

/** The customer's contract that took effect last, whatever became of it. */
export async function findEffectiveContract(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Contract | undefined> {
  return (await listContracts(db, partnerId, customerId)).find(({ effectiveAt }) => effectiveAt !== null)
}

/**
 * For how many days after the last day of a household its tenants can still read the meters: suppliers take a reading
 * for the day when the occupier changes from up to five working days after it.
 */
const daysAfterEnd = 7

/**
 * The days whose readings are the business of a contract's tenant: from when they moved in, or took over a share, to their
 * last day or, if nobody of the household stays, a week after it.
 */
export function readableDays(contract: Contract, quote: Quote): { from: IsoDate; to: IsoDate } {
  const { customerId, startsOn } = contract
  const isOfFirstHousehold = quote.tenants.find(({ tenantId }) => tenantId === customerId)?.replaces === null
  const from = isOfFirstHousehold ? earlierOf(moveInDay(quote), startsOn) : startsOn
  const lastDay = lastDayOf(contract)
  const goesOn = quote.tenants.some(
    ({ contractStatus, leavesOn }) => contractStatus === 'in_force' && (leavesOn ?? quote.contractEndDate) > lastDay,
  )
  return { from, to: goesOn ? lastDay : addDays(lastDay, daysAfterEnd) }
}

/** The readings of the home on the days that are the customer's business, by day. `quote` is theirs. */
export async function listReadingsOfCustomer(
  db: Queryable,
  quote: Quote,
  customerId: Id<'tenant'>,
): Promise<MeterReading[]> {
  const contract = await findEffectiveContract(db, quote.partnerId, customerId)
  return contract === undefined ? [] : listReadings(db, contract, readableDays(contract, quote))
}

import type { Queryable } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Contract } from '../contract.ts'
import { listContracts } from '../contracts.store.ts'
import type { MeterReading } from './meter-reading.ts'
import { listReadings } from './meter-readings.store.ts'

/** The customer's contract that took effect, whatever became of it. After one has, there is no other. */
export async function findEffectiveContract(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Contract | undefined> {
  return (await listContracts(db, partnerId, customerId)).find(({ effectiveAt }) => effectiveAt !== null)
}

/** The readings of the home on the days of the customer's contract, by day. */
export async function listReadingsOfCustomer(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<MeterReading[]> {
  const contract = await findEffectiveContract(db, partnerId, customerId)
  return contract === undefined ? [] : listReadings(db, contract, { from: contract.startsOn, to: lastDayOf(contract) })
}

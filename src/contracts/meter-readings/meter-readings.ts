import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { Quote } from '../../quoting/quotes/quote.ts'
import { requireNotErased } from '../../quoting/tenants/load-customer.ts'
import type { Contract } from '../contract.ts'
import { loadCustomerWithQuoteForUpdate, loadQuoteOfCustomer } from '../load-quote-of-customer.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import { contractNotInForce } from '../termination/contract-to-end.ts'
import { agreedPrice } from '../termination/settle-contract.ts'
import { type MeterReading, servicesWithMeter } from './meter-reading.ts'
import { listReadings, putReading } from './meter-readings.store.ts'
import { findEffectiveContract, listReadingsOfCustomer } from './readings-of-customer.ts'

interface Dependencies {
  db: Database
  cipher: FieldCipher
}

/**
 * POST /Customers/{id}/meter-readings (not in the specification). Stores what a meter of the home showed on a day of
 * the customer's contract, up to today. A later reading of the same meter point and day replaces the earlier one; the
 * same reading again changes nothing. It changes no price. Throws `contract_not_in_force`, `customer_erased` and
 * `validation_failed`.
 */
export async function reportMeterReading(
  { db, cipher }: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  reported: Pick<MeterReading, 'service' | 'readOn' | 'reading'>,
): Promise<{ customerId: Id<'tenant'>; meterReading: MeterReading }> {
  return inTransaction(db, caller, async (tx) => {
    const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    requireNotErased(customer)
    const contract = await findEffectiveContract(tx, caller.partnerId, customerId)
    if (contract === undefined) throw contractNotInForce(neverInForce)
    const { service, readOn } = reported
    requireMeter(service, contract, quote)
    requireDay(readOn, contract, londonDate(caller.now))
    const ofDay = await listReadings(tx, contract, { from: readOn, to: readOn })
    const stored = ofDay.find((each) => each.service === service)
    if (stored?.reading === reported.reading) return { customerId, meterReading: stored }
    const meterReading = { ...reported, reportedAt: caller.now }
    const { partnerId, quoteId } = contract
    await recordContractChange(tx, { partnerId, quoteId, change: 'meter_read' }, (recorded) =>
      putReading(tx, recorded, contract, meterReading),
    )
    return { customerId, meterReading }
  })
}

/**
 * GET /Customers/{id}/meter-readings (not in the specification): the readings of the home on the days of the customer's
 * contract, by day, whoever of the household reported them. None before the contract took effect.
 */
export async function listMeterReadings(
  { db, cipher }: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; meterReadings: MeterReading[] }> {
  await loadQuoteOfCustomer(db, cipher, caller, customerId)
  return { customerId, meterReadings: await listReadingsOfCustomer(db, caller.partnerId, customerId) }
}

const neverInForce =
  'The customer has no contract that has taken effect. A meter can be read from the first day of the contract on.'

function requireMeter(service: MeterReading['service'], contract: Contract, quote: Quote): void {
  const bought = new Set<string>(agreedPrice(contract, quote).price.lines.map(({ type }) => type))
  if (bought.has(service)) return
  const others = servicesWithMeter.filter((each) => bought.has(each))
  const detail =
    others.length === 0
      ? 'The contract has no service with a meter, so there is nothing to read.'
      : `The contract has no ${service}. Must be one of: ${others.join(', ')}.`
  throw invalidFields([{ pointer: '/service', code: 'not_allowed', detail }])
}

function requireDay(readOn: IsoDate, contract: Contract, today: IsoDate): void {
  const { startsOn } = contract
  const lastDay = lastDayOf(contract)
  if (readOn >= startsOn && readOn <= earlierOf(lastDay, today)) return
  const detail = `Must be a day of the contract (${startsOn} to ${lastDay}), and not after today (${today}).`
  throw invalidFields([{ pointer: '/readOn', code: 'out_of_range', detail }])
}

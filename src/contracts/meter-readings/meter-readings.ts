import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { earlierOf, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Service } from '../../quoting/packages/services.ts'
import { serviceIds } from '../../quoting/pricing/customer-packages.ts'
import type { PricedLine } from '../../quoting/pricing/price.ts'
import { requireNotErased } from '../../quoting/tenants/load-customer.ts'
import type { Contract } from '../contract.ts'
import { loadCustomerWithQuoteForUpdate, loadQuoteOfCustomer } from '../load-quote-of-customer.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'
import { listLatestReports } from '../supply/service-reports.store.ts'
import { contractNotInForce } from '../termination/contract-to-end.ts'
import { agreedPrice } from '../termination/settle-contract.ts'
import { type MeterReading, type MeterRegister, meterSerial, servicesWithMeter } from './meter-reading.ts'
import { listReadings, putReading } from './meter-readings.store.ts'
import { findEffectiveContract, listReadingsOfCustomer, readableDays } from './readings-of-customer.ts'

interface Dependencies {
  db: Database
  cipher: FieldCipher
}

/**
 * POST /Customers/{id}/meter-readings (not in the specification). Stores what a register of a meter of the home
 * showed on a day from moving in to a week after the customer's contract, up to today. A later reading of the same
 * register and day replaces the earlier one, but for a serial number that it leaves out; the same again changes nothing. It changes no price. Throws `contract_not_in_force`, `customer_erased` and
 * `validation_failed`.
 */
export async function reportMeterReading(
  { db, cipher }: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
  given: Pick<MeterReading, 'service' | 'readOn' | 'reading'> & { register?: MeterRegister; meterSerial?: string },
): Promise<{ customerId: Id<'tenant'>; meterReading: MeterReading }> {
  return inTransaction(db, caller, async (tx) => {
    const { customer, quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    requireNotErased(customer)
    const contract = await findEffectiveContract(tx, caller.partnerId, customerId)
    if (contract === undefined) throw contractNotInForce(neverInForce)
    const { service, readOn, reading, register = 'single', meterSerial: serial } = given
    const { lines } = agreedPrice(contract, quote).price
    requireMeter({ service, register }, lines)
    requireDay(readOn, readableDays(contract, quote), londonDate(caller.now))
    const ofDay = await listReadings(tx, contract, { from: readOn, to: readOn })
    const stored = ofDay.find((each) => each.service === service && each.register === register)
    const onMeter = serial === undefined ? (stored?.meterSerial ?? null) : meterSerial(serial)
    if (stored?.reading === reading && stored.meterSerial === onMeter) return { customerId, meterReading: stored }
    const meterReading = { service, readOn, register, meterSerial: onMeter, reading, reportedAt: caller.now }
    const ofSupplier = onMeter && (await supplierSerialOf(tx, contract, service, lines))
    const { partnerId, quoteId } = contract
    await recordContractChange(tx, { partnerId, quoteId, change: 'meter_read' }, (recorded) =>
      putReading(tx, recorded, contract, meterReading, ofSupplier === onMeter ? null : ofSupplier),
    )
    return { customerId, meterReading }
  })
}

/**
 * GET /Customers/{id}/meter-readings (not in the specification): the readings of the home from when the customer
 * moved in to a week after their contract, by day, whoever of the household reported them. None before the contract took effect.
 */
export async function listMeterReadings(
  { db, cipher }: Dependencies,
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; meterReadings: MeterReading[] }> {
  const quote = await loadQuoteOfCustomer(db, cipher, caller, customerId)
  return { customerId, meterReadings: await listReadingsOfCustomer(db, quote, customerId) }
}

const neverInForce =
  'The customer has no contract that has taken effect. Meters can be read once it has, for days from moving in on.'

/** The serial number of the meter that the supplier of a service has, as it reported last; null if it did not. */
async function supplierSerialOf(
  tx: Tx,
  ofQuote: Contract,
  service: Service,
  lines: readonly PricedLine[],
): Promise<string | null> {
  const serviceId = serviceIds(lines)[lines.findIndex(({ type }) => type === service)]
  return (await listLatestReports(tx, ofQuote))[serviceId ?? '']?.meterSerial ?? null
}

function requireMeter({ service, register }: Pick<MeterReading, 'service' | 'register'>, lines: readonly PricedLine[]) {
  const bought = new Set<string>(lines.map(({ type }) => type))
  if (!bought.has(service)) {
    const others = servicesWithMeter.filter((each) => bought.has(each))
    const detail =
      others.length === 0
        ? 'The contract has no service with a meter, so there is nothing to read.'
        : `The contract has no ${service}. Must be one of: ${others.join(', ')}.`
    throw invalidFields([{ pointer: '/service', code: 'not_allowed', detail }])
  }
  if (register === 'single' || service === 'electricity') return
  const detail = 'Only a meter for electricity has registers for day and night.'
  throw invalidFields([{ pointer: '/register', code: 'not_allowed', detail }])
}

function requireDay(readOn: IsoDate, { from, to }: { from: IsoDate; to: IsoDate }, today: IsoDate): void {
  if (readOn >= from && readOn <= earlierOf(to, today)) return
  const detail = `Must be from ${from} to ${to}, and not after today (${today}).`
  throw invalidFields([{ pointer: '/readOn', code: 'out_of_range', detail }])
}

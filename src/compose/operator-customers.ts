import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Databases } from '../db/databases.ts'
import { callerForCustomer } from '../domain/privacy/caller-for-customer.ts'
import { type ErasedCustomer, eraseCustomer } from '../domain/privacy/erase-customer.ts'
import { exportCustomer } from '../domain/privacy/export-customer.ts'
import { presentCustomerExport } from '../http/wire/customer-export.ts'
import { systemClock } from '../kernel/clock.ts'
import { type Id, isId } from '../kernel/ids.ts'
import { composeCipher } from './compose.ts'
import { openErasureLedger } from './privacy/open-erasure-ledger.ts'
import { readReferenceData } from './reference-data.ts'

/*
 * Operator commands on a single customer. They use the API's functions and return the same data, or undefined if no partner has
 * the customer.
 */

interface Opened {
  databases: Databases
  secrets: Secrets
}

/** The same data as GET /Customers/{id}/export. */
export async function exportForOperator(
  opened: Opened,
  customerId: string,
): Promise<ReturnType<typeof presentCustomerExport> | undefined> {
  if (!isId('tenant', customerId)) return undefined
  const part = await partFor(opened, customerId)
  if (part === undefined) return undefined
  const { bankHolidays } = await readReferenceData()
  return presentCustomerExport(
    await exportCustomer({ ...part, bankHolidays }, part.caller, { customerId, withPsr: true }),
  )
}

/** With `force`, erases the customer even while the contract runs; without it, throws `contract_running` in that case. */
export async function eraseForOperator(
  opened: Opened & { config: Config },
  customerId: string,
  options: { force: boolean },
): Promise<ErasedCustomer | undefined> {
  if (!isId('tenant', customerId)) return undefined
  const erasureLedger = await openErasureLedger(opened.config)
  const part = await partFor(opened, customerId)
  return part === undefined ? undefined : eraseCustomer({ ...part, erasureLedger }, part.caller, customerId, options)
}

async function partFor({ databases, secrets }: Opened, customerId: Id<'tenant'>) {
  const caller = await callerForCustomer({ databases, clock: systemClock }, customerId)
  if (caller === undefined) return undefined
  return { caller, db: databases.forPartner(caller.partnerId), cipher: await composeCipher(databases.system, secrets) }
}

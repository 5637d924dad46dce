import { type FoundCustomer, findCustomers } from '../back-office/people/find-customers.ts'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import type { Databases } from '../platform/db/databases.ts'
import { systemClock } from '../platform/kernel/clock.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import { callerForCustomer } from '../privacy/caller-for-customer.ts'
import { presentCustomerExport } from '../privacy/customer-export.schema.ts'
import { type ErasedCustomer, eraseCustomer } from '../privacy/erase-customer.ts'
import { exportCustomer } from '../privacy/export-customer.ts'
import { composeCipher } from './compose.ts'
import { openErasureLedger } from './open-erasure-ledger.ts'
import { readReferenceData } from './reference-data.ts'

/*
 * Operator commands on a customer, or on everything that is held about a person. They use the API's functions and
 * return the same data, or undefined if no partner has the customer.
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

/**
 * With `force`, erases the customer even while the contract runs; without it, throws `contract_running` in that case.
 */
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

/**
 * Everything held about the person with this e-mail address, at every partner: one export for each time that they are
 * or were a tenant.
 */
export async function exportPerson(opened: Opened, email: string) {
  const customers = []
  for (const { customerId, partnerId, partnerName } of await findPerson(opened, email)) {
    const held = await exportForOperator(opened, customerId)
    if (held !== undefined) customers.push({ partnerId, partnerName, ...held })
  }
  return { email, customers }
}

/** What became of the erasure of one customer; `rejected` says why it was not erased. */
export type PersonErasure = Pick<FoundCustomer, 'customerId' | 'partnerId' | 'partnerName' | 'quoteId'> &
  ({ erased: ErasedCustomer } | { rejected: DomainError })

/**
 * Erases the person with this e-mail address at every partner, as `eraseForOperator` does. One that is rejected does
 * not stop the others.
 */
export async function erasePerson(
  opened: Opened & { config: Config },
  email: string,
  options: { force: boolean },
): Promise<PersonErasure[]> {
  const done: PersonErasure[] = []
  for (const { customerId, partnerId, partnerName, quoteId } of await findPerson(opened, email)) {
    const whom = { customerId, partnerId, partnerName, quoteId }
    try {
      const erased = await eraseForOperator(opened, customerId, options)
      if (erased !== undefined) done.push({ ...whom, erased })
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      done.push({ ...whom, rejected: error })
    }
  }
  return done
}

async function findPerson({ databases, secrets }: Opened, email: string): Promise<FoundCustomer[]> {
  const deps = { db: databases.system, cipher: await composeCipher(databases.system, secrets) }
  const all: FoundCustomer[] = []
  for (let after: Id<'tenant'> | undefined; ; after = all.at(-1)?.customerId) {
    const { customers, hasMore } = await findCustomers(deps, { email }, { after, limit: 100 })
    all.push(...customers)
    if (!hasMore) return all
  }
}

async function partFor({ databases, secrets }: Opened, customerId: Id<'tenant'>) {
  const caller = await callerForCustomer({ databases, clock: systemClock }, customerId)
  if (caller === undefined) return undefined
  return { caller, db: databases.forPartner(caller.partnerId), cipher: await composeCipher(databases.system, secrets) }
}

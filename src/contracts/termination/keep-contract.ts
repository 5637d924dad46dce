import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { TenantMailDependencies } from '../mails/queue-mails.ts'
import type { EndedContract, EndingOptions } from './cancel-under-lock.ts'
import { loadContractToEnd } from './contract-to-end.ts'
import { keepOn } from './keep-on.ts'

/**
 * POST /Customers/{id}/keep-contract (not in the specification). Takes back an early end that was set: the contract runs
 * to its agreed last day, and what the tenant pays is what it would have been. Payments that were dropped come back, at
 * least ten days ahead. With `dryRun`, changes nothing; otherwise everybody is told. Throws `contract_not_in_force` and
 * `end_date_not_allowed`.
 */
export async function keepContract(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  { dryRun, require }: EndingOptions,
): Promise<EndedContract> {
  return inTransaction(deps.db, caller, async (tx) => {
    const ending = await loadContractToEnd(tx, deps.cipher, caller, customerId)
    return keepOn(tx, deps, caller, ending, { dryRun, require })
  })
}

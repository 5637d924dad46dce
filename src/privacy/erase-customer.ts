import { listContracts } from '../contracts/contracts.store.ts'
import { loadQuoteOfCustomerForUpdate } from '../contracts/load-quote-of-customer.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findErasure } from './erasure.store.ts'
import type { ErasureLedger } from './erasure-ledger.ts'
import { removePersonalData } from './remove-personal-data.ts'
import { isContractRunning } from './retention.ts'

export interface ErasedCustomer {
  customerId: Id<'tenant'>
  erasedAt: Date
  /** The day until which the law requires us to keep the contract; null if there is no contract. */
  retainedUntil: IsoDate | null
}

/**
 * POST /Customers/{id}/erase (not in the specification) and `housebill customers erase`. Erases all personal data of
 * the customer, except for contract records that the law requires us to keep. Our own data is erased immediately. The
 * processor's data is erased as soon as the processor can be reached (`delete-at-processor.ts`). Repeating the call
 * returns the time of the first erasure. Throws `contract_running` during the contract, unless the operator sets
 * `force`, and
 * `service_unavailable`, with nothing erased, if the ledger of erasures cannot be written.
 */
export async function eraseCustomer(
  { db, ...deps }: { db: Database; cipher: FieldCipher; erasureLedger: ErasureLedger },
  caller: Caller,
  customerId: Id<'tenant'>,
  { force = false }: { force?: boolean } = {},
): Promise<ErasedCustomer> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadQuoteOfCustomerForUpdate(tx, deps.cipher, caller, customerId)
    const before = await findErasure(tx, caller.partnerId, customerId)
    if (before !== undefined) return { customerId, ...before }
    const contracts = await listContracts(tx, caller.partnerId, customerId)
    const running = contracts.find((contract) => isContractRunning(contract, londonDate(caller.now)))
    if (!force && running !== undefined) {
      throw new DomainError(
        'contract_running',
        `This customer's contract runs until ${running.endsOn}. Erase the customer after that day, or ask the operator to do it earlier.`,
      )
    }
    const reason = running === undefined ? 'requested' : 'forced'
    const erasure = { customerIds: [customerId], now: caller.now, reason } as const
    const [erased] = await removePersonalData(tx, deps, quote, erasure)
    if (erased === undefined) throw new Error('the customer was not erased')
    return { customerId, erasedAt: erased.erasedAt, retainedUntil: erased.retainedUntil }
  })
}

import { listContracts } from '../contracts/contracts.store.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { findQuoteOfCustomerForUpdate } from '../quoting/quotes/quotes.store.ts'
import { findPartnerOfCustomer } from '../quoting/tenants/customers.store.ts'
import { findErasure } from './erasure.store.ts'
import type { ErasureLedger, LedgerEntry } from './erasure-ledger.ts'
import { removePersonalData } from './remove-personal-data.ts'

/**
 * What the replay of one entry did. `unknown`: the database has no such customer, because it is older than the customer
 * or they were removed. `superseded`: the customer agreed to a contract after the entry, which an erased customer
 * cannot do, or the abandoned quote has been priced again, so the erasure never took effect. `mismatched`: the customer
 * belongs to another partner than the entry says.
 */
export type ReplayOutcome = 'applied' | 'already_erased' | 'unknown' | 'superseded' | 'mismatched'

/**
 * `housebill customers erase --replay`, for one entry of a ledger. Erases the customer with the time of the first
 * erasure, even if the contract, which had ended, is running again in the restored database. Repeating it changes
 * nothing.
 */
export async function replayErasure(
  { databases, cipher, erasureLedger }: { databases: Databases; cipher: FieldCipher; erasureLedger: ErasureLedger },
  entry: LedgerEntry,
): Promise<ReplayOutcome> {
  const { partnerId, customerId, erasedAt, reason } = entry
  const owner = await findPartnerOfCustomer(databases.system, customerId)
  if (owner === undefined) return 'unknown'
  if (owner.partnerId !== partnerId) return 'mismatched'
  return inTransaction(databases.forPartner(partnerId), {}, async (tx) => {
    const quote = await findQuoteOfCustomerForUpdate(tx, cipher, partnerId, customerId)
    if (quote === undefined) return 'unknown'
    if ((await findErasure(tx, partnerId, customerId)) !== undefined) return 'already_erased'
    const contracts = await listContracts(tx, partnerId, customerId)
    if (contracts.some(({ agreedAt }) => agreedAt > erasedAt)) return 'superseded'
    if (reason === 'retention' && quote.expiresAt > erasedAt) return 'superseded'
    const erasure = { customerIds: [customerId], now: erasedAt, reason }
    await removePersonalData(tx, { cipher, erasureLedger }, quote, erasure)
    return 'applied'
  })
}

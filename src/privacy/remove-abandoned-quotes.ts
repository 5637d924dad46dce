import { listPartners } from '../partners/partners.store.ts'
import type { Origin } from '../platform/db/access.ts'
import { inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { listPersonsWithoutContract } from '../quoting/tenants/customers.store.ts'
import { listAbandonedQuotes } from './erasure.store.ts'
import type { ErasureLedger } from './erasure-ledger.ts'
import { removePersonalData } from './remove-personal-data.ts'

export interface RetentionDependencies {
  databases: Databases
  cipher: FieldCipher
  erasureLedger: ErasureLedger
  clock: Clock
}

const origin: Origin = { actor: 'worker', operation: 'removeAbandonedQuotes' }
const dayMs = 86_400_000

/**
 * Erases everyone without a contract from quotes that expired at least `days` days ago, and everyone who was added that
 * long ago to take over a share and has not accepted. If nobody on a quote has a contract, also clears its reference
 * and metadata. Handles at most `limit` quotes and returns how many it handled. Uses real time, not the sandbox clock.
 * Several processes can run this concurrently. Each quote is handled in a separate transaction.
 */
export async function removeAbandonedQuotes(
  deps: RetentionDependencies,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const now = deps.clock.now()
  const before = new Date(now.getTime() - days * dayMs)
  let removed = 0
  for (const { partnerId } of await listPartners(deps.databases.system)) {
    if (removed >= limit) break
    const db = deps.databases.forPartner(partnerId, origin)
    for (const { quoteId } of await listAbandonedQuotes(db, partnerId, { before, limit: limit - removed })) {
      await inTransaction(db, {}, async (tx) => {
        const quote = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
        // Skip a quote that was repriced or activated after it was listed.
        if (quote === undefined || quote.expiresAt >= before || (quote.lockedUntil ?? before) > before) return
        const customerIds = await listPersonsWithoutContract(tx, { partnerId, quoteId }, before)
        await removePersonalData(tx, deps, quote, { customerIds, now, reason: 'retention' })
        removed += 1
      })
    }
  }
  return removed
}

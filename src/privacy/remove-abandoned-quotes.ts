import { listPartners } from '../partners/partners.store.ts'
import type { Origin } from '../platform/db/access.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import type { Databases } from '../platform/db/databases.ts'
import { handleAll } from '../platform/jobs/handle-all.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { listPersonsWithoutContract } from '../quoting/tenants/customers.store.ts'
import { type AbandonedQuote, listAbandonedQuotes } from './erasure.store.ts'
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

/** How a removal runs: how many rows it lists at once, and whether it must end soon. */
export interface RemovalRun {
  batch: number
  isStopping(): boolean
}

/**
 * Erases everyone without a contract from quotes that expired at least `days` days ago, and everyone who was added that
 * long ago to take over a share and has not accepted. If nobody on a quote has a contract, also clears its reference
 * and metadata. Returns how many quotes it handled. Uses real time, not the sandbox clock. Several processes can run
 * this concurrently. Each quote is handled in a separate transaction. One that cannot be handled keeps none of the
 * others: the first failure is thrown after all.
 */
export async function removeAbandonedQuotes(
  deps: RetentionDependencies,
  { days, batch, isStopping }: RemovalRun & { days: number },
): Promise<number> {
  const before = new Date(deps.clock.now().getTime() - days * dayMs)
  const failures: unknown[] = []
  let removed = 0
  for (const { partnerId } of await listPartners(deps.databases.system)) {
    const db = deps.databases.forPartner(partnerId, origin)
    await handleAll<AbandonedQuote>({
      listAfter: (after) => listAbandonedQuotes(db, partnerId, { before, after, limit: batch }),
      async handle({ quoteId }) {
        if (await removeAbandonedQuote(db, deps, { partnerId, quoteId }, before)) removed += 1
      },
      ...{ batch, isStopping },
    }).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

/** Looks again under the quote's row lock. Returns false if the quote was repriced or activated after it was listed. */
function removeAbandonedQuote(
  db: Database,
  deps: RetentionDependencies,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  before: Date,
): Promise<boolean> {
  return inTransaction(db, {}, async (tx) => {
    const quote = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
    if (quote === undefined || quote.expiresAt >= before || (quote.lockedUntil ?? before) > before) return false
    const customerIds = await listPersonsWithoutContract(tx, { partnerId, quoteId }, before)
    await removePersonalData(tx, deps, quote, { customerIds, now: deps.clock.now(), reason: 'retention' })
    return true
  })
}

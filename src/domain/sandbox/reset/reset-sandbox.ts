import { type Database, inTransaction } from '../../../db/database.ts'
import { insertAuditEntry } from '../../audit/audit-log.store.ts'
import type { Caller } from '../../auth/caller.ts'
import type { PartnerDirectory } from '../../auth/partner-directory.ts'
import type { SandboxProcessor } from '../../payments/sandbox-processor.ts'
import type { SandboxPrices } from '../price-change/sandbox-prices.ts'
import { deleteEvents, deleteEverythingElse, deleteQuotes } from './reset.store.ts'

/** How many quotes or events one transaction deletes, so that none lasts long. */
const batch = 200

interface ResetDependencies {
  db: Database
  partners: PartnerDirectory
  /** Undefined if the sandbox uses the real processor, whose customers stay there. */
  sandboxProcessor: SandboxProcessor | undefined
  /** Only a sandbox has it, and only a sandbox has this operation. */
  sandboxPrices: SandboxPrices | undefined
}

/** How much was deleted. */
export interface ResetSummary {
  quotes: number
  events: number
}

/**
 * POST /Sandbox/reset: deletes everything that the partner made, except credentials, webhooks and the audit log, and undoes what it set. It works in
 * steps, so a call that was interrupted must be repeated. What the partner creates meanwhile may stay.
 */
export async function resetSandbox(
  { db, partners, sandboxProcessor, sandboxPrices }: ResetDependencies,
  caller: Caller,
): Promise<ResetSummary> {
  const { partnerId } = caller
  // First, so that the processor reports nothing about rows that are gone.
  await sandboxProcessor?.forget(partnerId)
  await sandboxPrices?.withdraw(partnerId)
  const deleteAll = async (deleteSome: typeof deleteQuotes) => {
    let deleted = 0
    for (let found = batch; found > 0; deleted += found)
      found = await inTransaction(db, {}, (tx) => deleteSome(tx, partnerId, batch))
    return deleted
  }
  const quotes = await deleteAll(deleteQuotes)
  const events = await deleteAll(deleteEvents)
  const summary = await inTransaction(db, caller, async (tx) => {
    await deleteEverythingElse(tx, partnerId)
    await insertAuditEntry(tx, partnerId, {
      action: 'asked',
      subjectType: 'sandbox reset',
      subjectId: partnerId,
      quoteId: null,
      customerId: null,
      fields: [],
    })
    return { quotes, events }
  })
  partners.forget(partnerId)
  return summary
}

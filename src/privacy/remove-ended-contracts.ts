import { recordContractChange } from '../events/operator-feeds/record-contract-change.ts'
import { listPartners } from '../partners/partners.store.ts'
import type { Origin } from '../platform/db/access.ts'
import { inTransaction } from '../platform/db/database.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { deleteContractRecords, listCustomersPastRetention } from './erasure.store.ts'
import type { RetentionDependencies } from './remove-abandoned-quotes.ts'
import { removePersonalData } from './remove-personal-data.ts'
import { firstDayStillKept } from './retention.ts'

const origin: Origin = { actor: 'worker', operation: 'removeEndedContracts' }

/**
 * Erases customers, including their documents and evidence, if their contract ended so long ago that the law no longer
 * requires us to keep its records. Handles at most `limit` customers and returns how many it handled. Uses real time,
 * not the sandbox clock.
 */
export async function removeEndedContracts(deps: RetentionDependencies, { limit }: { limit: number }): Promise<number> {
  const now = deps.clock.now()
  const endedBefore = firstDayStillKept(londonDate(now))
  let removed = 0
  for (const { partnerId } of await listPartners(deps.databases.system)) {
    if (removed >= limit) break
    const db = deps.databases.forPartner(partnerId, origin)
    for (const { customerId, quoteId } of await listCustomersPastRetention(db, partnerId, {
      endedBefore,
      limit: limit - removed,
    })) {
      await inTransaction(db, {}, async (tx) => {
        const quote = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
        if (quote === undefined) return
        await removePersonalData(tx, deps, quote, { customerIds: [customerId], now, reason: 'retention' })
        await recordContractChange(tx, { partnerId, customerId, change: 'erased' }, (recorded) =>
          deleteContractRecords(tx, recorded, partnerId, customerId),
        )
        removed += 1
      })
    }
  }
  return removed
}

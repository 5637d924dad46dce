import { recordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import { deleteContractContent } from '../contracts/removed-contracts.store.ts'
import { listPartners } from '../partners/partners.store.ts'
import type { Origin } from '../platform/db/access.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { handleAll } from '../platform/jobs/handle-all.ts'
import { londonDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'
import { findQuoteForUpdate } from '../quoting/quotes/quotes.store.ts'
import { endRetention } from '../quoting/tenants/removed-customers.store.ts'
import { type CustomerPastRetention, listCustomersPastRetention } from './erasure.store.ts'
import type { RemovalRun, RetentionDependencies } from './remove-abandoned-quotes.ts'
import { deletePaymentsAndMails, removePersonalData } from './remove-personal-data.ts'
import { firstDayStillKept } from './retention.ts'

const origin: Origin = { actor: 'worker', operation: 'removeEndedContracts' }

/**
 * Erases customers, including their documents and evidence, if their contract ended so long ago that the law no longer
 * requires us to keep its records. Returns how many it handled. Uses real time, not the sandbox clock. Each customer is
 * handled in a separate transaction. One who cannot be handled keeps none of the others: the first failure is thrown
 * after all.
 */
export async function removeEndedContracts(
  deps: RetentionDependencies,
  { batch, isStopping }: RemovalRun,
): Promise<number> {
  const endedBefore = firstDayStillKept(londonDate(deps.clock.now()))
  const failures: unknown[] = []
  let removed = 0
  for (const { partnerId } of await listPartners(deps.databases.system)) {
    const db = deps.databases.forPartner(partnerId, origin)
    await handleAll<CustomerPastRetention>({
      listAfter: (after) => listCustomersPastRetention(db, partnerId, { endedBefore, after, limit: batch }),
      async handle(customer) {
        if (await removeCustomer(db, deps, partnerId, customer)) removed += 1
      },
      ...{ batch, isStopping },
    }).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

function removeCustomer(
  db: Database,
  deps: RetentionDependencies,
  partnerId: Id<'partner'>,
  { customerId, quoteId }: CustomerPastRetention,
): Promise<boolean> {
  return inTransaction(db, {}, async (tx) => {
    const quote = await findQuoteForUpdate(tx, deps.cipher, partnerId, quoteId)
    if (quote === undefined) return false
    const now = deps.clock.now()
    await removePersonalData(tx, deps, quote, { customerIds: [customerId], now, reason: 'retention' })
    await recordContractChange(tx, { partnerId, customerId, change: 'erased' }, async (recorded) => {
      await deletePaymentsAndMails(tx, partnerId, customerId)
      await deleteContractContent(tx, recorded, partnerId, customerId)
      await endRetention(tx, partnerId, customerId)
    })
    return true
  })
}

import { listPartners } from '../../partners/partners.store.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findLastClosed, listTerms, lockCommission } from './commission-terms.store.ts'
import { recordEarned, recordTakenBack } from './record-entries.ts'

const origin: Origin = { actor: 'worker', operation: 'recordCommission' }

/** How many contracts are handled in one transaction. */
const batch = 100

/** What a run did: the entries that it recorded, and the partners for whom it could not. */
export interface CommissionRun {
  recorded: number
  failures: { partnerId: Id<'partner'>; error: unknown }[]
}

/**
 * Records what every partner has earned and what is taken back until today, on each partner's clock. Repeating it, or
 * running it in two processes, records nothing twice. A partner whose entries cannot be recorded does not keep the
 * others waiting.
 */
export async function recordCommission(
  { databases, clock }: { databases: Databases; clock: Clock },
  { isStopping }: { isStopping(): boolean },
): Promise<CommissionRun> {
  const run: CommissionRun = { recorded: 0, failures: [] }
  for (const { partnerId, clockOffsetSeconds } of await listPartners(databases.system)) {
    const db = databases.forPartner(partnerId, origin)
    try {
      for (let isDone = false; !isDone && !isStopping(); ) {
        const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1_000)
        const recorded = await inTransaction(db, {}, async (tx) => {
          await lockCommission(tx, partnerId)
          const terms = await listTerms(tx, partnerId)
          if (terms.length === 0) return 0
          const closed = await findLastClosed(tx, partnerId)
          const recording = { partnerId, terms, closed, until: londonDate(now), limit: batch, now }
          return (await recordEarned(tx, recording)) + (await recordTakenBack(tx, recording))
        })
        run.recorded += recorded
        isDone = recorded === 0
      }
    } catch (error) {
      run.failures.push({ partnerId, error })
    }
  }
  return run
}

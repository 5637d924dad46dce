import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { storeEndedLock } from '../load-quote-for-update.ts'
import { type EndedLock, listEndedLocks } from './locks.store.ts'

const origin: Origin = { actor: 'worker', operation: 'storeEndedLocks' }

/**
 * Stores the end of locks that have ended, for quotes that nobody has written to since, each in a transaction of its
 * own. A quote that fails keeps none of the others waiting: the first failure is thrown after all. Reads `batch` quotes
 * at a time.
 */
export async function storeEndedLocks(
  { databases, cipher, clock }: { databases: Databases; cipher: FieldCipher; clock: Clock },
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<void> {
  await handleAll<EndedLock>({
    listAfter: (after) => listEndedLocks(databases.system, { now: clock.now(), after, limit: batch }),
    handle: ({ quoteId, partnerId, clockOffsetSeconds }) =>
      inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
        const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
        const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
        if (quote !== undefined) await storeEndedLock(tx, { partnerId, now }, quote)
      }),
    ...{ batch, isStopping },
  })
}

const batch = 50

/** Every minute, stores which locks have ended, so that partners learn of it even if nobody uses the quote. */
export function endedLocksJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'end-locks',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => storeEndedLocks(deps, { batch, isStopping: () => signal.aborted }),
  }
}

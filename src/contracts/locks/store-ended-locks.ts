import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { storeEndedLock } from '../load-quote-for-update.ts'
import { listEndedLocks } from './locks.store.ts'

const origin: Origin = { actor: 'worker', operation: 'storeEndedLocks' }

/**
 * Stores the end of locks that have ended, for quotes that nobody has written to since. Handles at most `limit` quotes,
 * each in a transaction of its own, and returns how many it found.
 */
export async function storeEndedLocks(
  { databases, cipher, clock }: { databases: Databases; cipher: FieldCipher; clock: Clock },
  limit: number,
): Promise<number> {
  const ended = await listEndedLocks(databases.system, clock.now(), limit)
  for (const { quoteId, partnerId, clockOffsetSeconds } of ended) {
    await inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
      const quote = await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
      const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
      if (quote !== undefined) await storeEndedLock(tx, { partnerId, now }, quote)
    })
  }
  return ended.length
}

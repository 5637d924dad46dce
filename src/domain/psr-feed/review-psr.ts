import type { Origin } from '../../db/access.ts'
import { inTransaction } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { Clock } from '../../kernel/clock.ts'
import { londonDate } from '../../kernel/dates.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { findPsr } from '../customers/psr.store.ts'
import { psrReviewOn } from '../customers/psr-needs.ts'
import { lockQuote } from '../quotes/quotes.store.ts'
import { listPsrToReview, updatePsrReview } from './psr-entries.store.ts'

const origin: Origin = { actor: 'worker', operation: 'reviewPsr' }

/**
 * Reviews customers of whose needs one has ended, so that the register feed says so. Handles at most `limit` customers, each in a transaction of its
 * own, and returns how many it found.
 */
export async function reviewPsr(
  { databases, cipher, clock }: { databases: Databases; cipher: FieldCipher; clock: Clock },
  limit: number,
): Promise<number> {
  const due = await listPsrToReview(databases.system, { now: clock.now(), limit })
  for (const { customerId, quoteId, partnerId, clockOffsetSeconds } of due) {
    await inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
      // Like a change of the details, so that neither overtakes the other.
      await lockQuote(tx, cipher, partnerId, quoteId)
      const psr = await findPsr(tx, cipher, partnerId, customerId)
      const today = londonDate(new Date(clock.now().getTime() + clockOffsetSeconds * 1_000))
      await updatePsrReview(tx, { partnerId, customerId }, psrReviewOn(psr, today))
    })
  }
  return due.length
}

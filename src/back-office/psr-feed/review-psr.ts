import { recordContractChange } from '../../events/operator-feeds/record-contract-change.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { psrReviewOn } from '../../quoting/tenants/customer.ts'
import { findPsr } from '../../quoting/tenants/psr.store.ts'
import { listPsrToReview, updatePsrReview } from './psr-entries.store.ts'

const origin: Origin = { actor: 'worker', operation: 'reviewPsr' }

/**
 * Reviews customers of whose needs one has ended, so that the register feed says so. Handles at most `limit` customers,
 * each in a transaction of its own, and returns how many it found.
 */
export async function reviewPsr(
  { databases, cipher, clock }: { databases: Databases; cipher: FieldCipher; clock: Clock },
  limit: number,
): Promise<number> {
  const due = await listPsrToReview(databases.system, { now: clock.now(), limit })
  for (const { customerId, quoteId, partnerId, clockOffsetSeconds } of due) {
    await inTransaction(databases.forPartner(partnerId, origin), {}, async (tx) => {
      // Like a change of the details, so that neither overtakes the other.
      await findQuoteForUpdate(tx, cipher, partnerId, quoteId)
      const psr = await findPsr(tx, cipher, partnerId, customerId)
      const today = londonDate(new Date(clock.now().getTime() + clockOffsetSeconds * 1_000))
      await recordContractChange(tx, { partnerId, customerId, change: 'needs_changed' }, (recorded) =>
        updatePsrReview(tx, recorded, { partnerId, customerId }, psrReviewOn(psr, today)),
      )
    })
  }
  return due.length
}

import { recordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Origin } from '../../platform/db/access.ts'
import { inTransaction } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import { handleAll } from '../../platform/jobs/handle-all.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { findQuoteForUpdate } from '../../quoting/quotes/quotes.store.ts'
import { psrReviewOn } from '../../quoting/tenants/customer.ts'
import { updatePsrReview } from '../../quoting/tenants/customers.store.ts'
import { findPsr } from '../../quoting/tenants/psr.store.ts'
import { listPsrToReview, type PsrToReview } from './psr-entries.store.ts'

const origin: Origin = { actor: 'worker', operation: 'reviewPsr' }

interface ReviewDependencies {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
}

/**
 * Reviews customers of whose needs one has ended, so that the register feed says so. Lists `batch` customers at once,
 * and handles each in a transaction of its own. One who cannot be handled keeps none of the others: the first failure
 * is thrown after all.
 */
export async function reviewPsr(
  deps: ReviewDependencies,
  { batch, isStopping }: { batch: number; isStopping(): boolean },
): Promise<void> {
  await handleAll<PsrToReview>({
    listAfter: (after) => listPsrToReview(deps.databases.system, { now: deps.clock.now(), after, limit: batch }),
    handle: (customer) => reviewCustomer(deps, customer),
    ...{ batch, isStopping },
  })
}

async function reviewCustomer(
  { databases, cipher, clock }: ReviewDependencies,
  { customerId, quoteId, partnerId, clockOffsetSeconds }: PsrToReview,
): Promise<void> {
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

import type { Databases } from '../../db/databases.ts'
import type { Id } from '../../kernel/ids.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { claimDueDeletions, deleteDeletion } from './processor-deletions.store.ts'

/** What one round came to. */
export interface DeletionRound {
  /** How many had their turn, asked about or not. */
  claimed: number
  /** How many the processor has no more when it ends. */
  deleted: number
  /** Those the processor could not or would not delete; asked again later, ever less often. */
  failures: { customerId: Id<'tenant'>; error: unknown }[]
}

/** Who is not found so often, over half an hour, is not there. */
const searches = 6

/**
 * Asks the processor to delete customers who were erased or removed here, at most `limit` of them. Outside any transaction; a
 * crash repeats the call, which is harmless, and who was not asked about has the turn again. Any number of processes may do it at once.
 */
export async function askProcessorDeletions(
  { databases, paymentProcessor }: { databases: Databases; paymentProcessor: Pick<PaymentProcessor, 'deleteCustomer'> },
  { limit, isStopping }: { limit: number; isStopping(): boolean },
): Promise<DeletionRound> {
  const failures: DeletionRound['failures'] = []
  let deleted = 0
  const claimed = await claimDueDeletions(databases.system, limit)
  for (const deletion of claimed) {
    if (isStopping()) break
    const found = await paymentProcessor.deleteCustomer(deletion).catch((error: unknown) => {
      failures.push({ customerId: deletion.customerId, error })
      return undefined
    })
    if (found === undefined || (!found && deletion.askedCount < searches)) continue
    await deleteDeletion(databases.system, deletion)
    deleted += 1
  }
  return { claimed: claimed.length, deleted, failures }
}

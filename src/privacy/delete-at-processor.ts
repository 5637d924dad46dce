import type { PaymentProcessor } from '../payments/payment-processor.ts'
import { claimDueDeletions, removeFromDeletionQueue } from '../payments/processor-customers.store.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Id } from '../platform/kernel/ids.ts'

/** The result of one call to `deleteAtProcessor`. */
export interface DeletionResult {
  /** How many deletions were claimed, including those that were not attempted. */
  claimed: number
  /** How many of these customers now no longer exist at the processor. */
  deleted: number
  /** Customers that the processor did not delete. Their deletion is retried at growing intervals. */
  failures: { customerId: Id<'tenant'>; error: unknown }[]
}

/**
 * After this many searches without a result, spread over more than half an hour, a customer is considered not to exist.
 */
const searches = 6

/**
 * Deletes up to `limit` erased or removed customers at the processor. Runs outside any transaction. After a crash, a
 * deletion may be attempted again, which is harmless. Deletions that were not attempted are claimed again later.
 * Several processes can run this concurrently.
 */
export async function deleteAtProcessor(
  { databases, paymentProcessor }: { databases: Databases; paymentProcessor: Pick<PaymentProcessor, 'deleteCustomer'> },
  { limit, isStopping }: { limit: number; isStopping(): boolean },
): Promise<DeletionResult> {
  const failures: DeletionResult['failures'] = []
  let deleted = 0
  const claimed = await claimDueDeletions(databases.system, limit)
  for (const deletion of claimed) {
    if (isStopping()) break
    const found = await paymentProcessor.deleteCustomer(deletion).catch((error: unknown) => {
      failures.push({ customerId: deletion.customerId, error })
      return undefined
    })
    if (found === undefined || (!found && deletion.attempts < searches)) continue
    await removeFromDeletionQueue(databases.system, deletion)
    deleted += 1
  }
  return { claimed: claimed.length, deleted, failures }
}

import type { Logger } from 'pino'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import { deleteAtProcessor } from './delete-at-processor.ts'

const batch = 20

/** Every minute, deletes from the payment processor the customers who have been erased or removed in this service. */
export function processorDeletionsJob({
  log,
  ...deps
}: {
  databases: Databases
  paymentProcessor: Pick<PaymentProcessor, 'deleteCustomer'>
  log: Logger
}): ScheduledJob {
  /** Returns true if there may be more to delete now. */
  async function deleteSome(signal: AbortSignal): Promise<boolean> {
    const round = await deleteAtProcessor(deps, { limit: batch, isStopping: () => signal.aborted })
    for (const { customerId, error } of round.failures)
      log.warn({ err: error, customerId }, 'payment processor did not delete a customer; the deletion will be retried')
    if (round.deleted > 0) log.info({ deleted: round.deleted }, 'customers deleted at the payment processor')
    return round.claimed === batch && round.failures.length < batch
  }

  return {
    name: 'delete-at-processor',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await deleteSome(signal)));
    },
  }
}

import type { Logger } from 'pino'
import type { Databases } from '../db/databases.ts'
import type { PaymentProcessor } from '../domain/payments/payment-processor.ts'
import { askProcessorDeletions } from '../domain/privacy/ask-deletions.ts'
import type { ScheduledJob } from './scheduled-work.ts'

const batch = 20

/** Asks the processor, once a minute, to delete customers who were erased or removed here. */
export function deletingJob({
  log,
  ...deps
}: {
  databases: Databases
  paymentProcessor: Pick<PaymentProcessor, 'deleteCustomer'>
  log: Logger
}): ScheduledJob {
  /** True where there may be more to delete at once. */
  async function deleteSome(signal: AbortSignal): Promise<boolean> {
    const round = await askProcessorDeletions(deps, { limit: batch, isStopping: () => signal.aborted })
    for (const { customerId, error } of round.failures)
      log.warn({ err: error, customerId }, 'the payment processor did not delete a customer; trying again later')
    if (round.deleted > 0) log.info({ deleted: round.deleted }, 'customers deleted at the payment processor')
    return round.claimed === batch && round.failures.length < batch
  }

  return {
    name: 'delete-at-processor',
    cron: '* * * * *',
    async run(signal) {
      while (!signal.aborted && (await deleteSome(signal)));
    },
  }
}

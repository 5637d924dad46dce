import type { Logger } from 'pino'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type CollectingDependencies, type CollectingPolicy, collectDuePayments } from './collect-due-payments.ts'

/** Every hour, asks the payment processor for the payments that are due. Only with COLLECTIONS. */
export function collectPaymentsJob({
  log,
  policy,
  ...deps
}: CollectingDependencies & { policy: CollectingPolicy; log: Logger }): ScheduledJob {
  return {
    name: 'collect-payments',
    everyMinutes: 60,
    atMinute: 10,
    async run(signal) {
      const run = await collectDuePayments(deps, policy, { isStopping: () => signal.aborted })
      const { asked, outcomes, limitReached, unavailable } = run
      for (const { entryId, error } of run.failures)
        log.error({ err: error, entryId }, 'payment could not be collected')
      for (const { entryId, reason } of run.rejected)
        log.error({ entryId, reason }, 'the payment processor refused to try a payment')
      for (const entryId of run.aboveLimit)
        log.error(
          { entryId, limitPence: policy.dailyLimit },
          'a payment is above COLLECTIONS_DAILY_LIMIT_POUNDS and was passed over',
        )
      if (limitReached)
        log.error(
          { limitPence: policy.dailyLimit },
          'collecting stopped for today: COLLECTIONS_DAILY_LIMIT_POUNDS is reached',
        )
      if (asked.count > 0)
        log.info(
          { payments: asked.count, amountPence: asked.amount, ...(policy.mode === 'on' ? outcomes : {}) },
          policy.mode === 'on' ? 'asked for payments that are due' : 'dry run: would ask for payments that are due',
        )
      // So that the run is repeated soon, and counts as one that failed.
      if (unavailable) throw new Error('collecting paused: the payment processor is unavailable')
    },
  }
}

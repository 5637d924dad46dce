import type { Logger } from 'pino'
import type { Databases } from '../../platform/db/databases.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { PaymentProcessor } from '../payment-processor.ts'
import { countDueRefunds, payOpenRefunds, type RefundingPolicy } from './pay-open-refunds.ts'

/**
 * Every hour, has the payment processor pay refunds that are open, with REFUNDS, and reports those whose last day is
 * near or has passed.
 */
export function payRefundsJob({
  log,
  policy,
  ...deps
}: {
  databases: Databases
  cipher: FieldCipher
  clock: Clock
  paymentProcessor: PaymentProcessor
  policy: RefundingPolicy | undefined
  log: Logger
}): ScheduledJob {
  return {
    name: 'pay-refunds',
    everyMinutes: 60,
    atMinute: 25,
    async run(signal) {
      const isPaused = policy !== undefined && (await pay(policy, signal))
      const { overdue, soon } = await countDueRefunds(deps)
      if (overdue > 0) log.error({ refunds: overdue }, 'the last day of open refunds has passed')
      if (soon > 0) log.error({ refunds: soon }, 'open refunds must be paid back within three days')
      // So that the run is repeated soon, and counts as one that failed.
      if (isPaused) throw new Error('refunds paused: the payment processor is unavailable')
    },
  }

  /** Returns whether the payment processor was unavailable. */
  async function pay(policy: RefundingPolicy, signal: AbortSignal): Promise<boolean> {
    const run = await payOpenRefunds(deps, policy, { isStopping: () => signal.aborted })
    const { asked, outcomes, waiting, disputed, unavailable } = run
    for (const { entryId, error } of run.failures) log.error({ err: error, entryId }, 'refund could not be paid')
    if (waiting?.isAboveWholeLimit === true)
      log.error(
        { entryId: waiting.entryId, limitPence: policy.dailyLimit },
        'a refund waits for a person, and those behind it with it: it is above REFUNDS_DAILY_LIMIT_POUNDS',
      )
    else if (waiting !== null)
      log.error(
        { entryId: waiting.entryId, limitPence: policy.dailyLimit },
        'refunds stopped for today: REFUNDS_DAILY_LIMIT_POUNDS is reached',
      )
    if (disputed.length > 0) log.warn({ refunds: disputed.length }, 'refunds wait for the decision of a dispute')
    if (asked > 0) log.info({ amountPence: asked, ...outcomes }, 'asked for refunds that are open')
    return unavailable
  }
}

import type { Logger } from 'pino'
import { type CollectionSweepDependencies, reconcileCollections } from '../domain/payments/reconcile-collections.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/**
 * Sweeps over the collections whose notice never came: looks every minute whether it is time. Stopping lets the call under
 * way end. While the processor is down this is logged once, and once more when it is back, by each process that finds it so.
 */
export function sweepingCollectionsJob({ log, ...deps }: CollectionSweepDependencies & { log: Logger }): ScheduledJob {
  let isDown = false
  return {
    name: 'sweep-collections',
    cron: '* * * * *',
    async run(signal) {
      const sweep = await reconcileCollections(deps, { isStopping: () => signal.aborted })
      if (sweep === undefined) return
      for (const { noticeId, error } of sweep.failures)
        log.error({ err: error, noticeId }, 'a collection could not be taken in from the payment processor')
      if (sweep.taken > 0) log.info({ taken: sweep.taken }, 'collections without a notice were taken in')
      if (sweep.unavailable && !isDown)
        log.warn('the payment processor cannot be asked about collections; trying again')
      if (isDown && !sweep.unavailable) log.info('the payment processor lists collections again')
      isDown = sweep.unavailable
    },
  }
}

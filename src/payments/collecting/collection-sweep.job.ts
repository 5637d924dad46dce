import type { Logger } from 'pino'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type CollectionSweepDependencies, reconcileCollections } from '../reconcile-collections.ts'

/**
 * Every five minutes, finds collections for which no webhook arrived. In most deployments, this takes one call to the
 * payment processor. When the service stops, the current call may still finish. Each process logs the start and the end
 * of an outage once.
 */
export function collectionSweepJob({ log, ...deps }: CollectionSweepDependencies & { log: Logger }): ScheduledJob {
  let isDown = false
  return {
    name: 'sweep-collections',
    everyMinutes: 5,
    atMinute: 0,
    async run(signal) {
      const sweep = await reconcileCollections(deps, { isStopping: () => signal.aborted })
      for (const { noticeId, error } of sweep.failures)
        log.error({ err: error, noticeId }, 'collection could not be recorded')
      for (const { noticeId, unknownStatus: status } of sweep.unknown)
        log.error({ noticeId, status }, 'dispute has an unknown status')
      if (sweep.recorded > 0)
        log.info({ recorded: sweep.recorded }, 'recorded collections for which no notice had arrived')
      if (sweep.unavailable && !isDown) log.warn('collection sweep paused: the payment processor is unavailable')
      if (isDown && !sweep.unavailable) log.info('collection sweep resumed: the payment processor is available again')
      isDown = sweep.unavailable
    },
  }
}

import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { removeOldPayloads } from './remove-old-payloads.ts'

/**
 * The maximum number of rows removed in one transaction. Such a transaction takes tens of milliseconds, so its locks
 * delay nothing.
 */
const batch = 1_000

/** Every hour, removes deliveries that were created more than 30 days ago and have ended, and their events. */
export function webhookRetentionJob({
  db,
  log,
  requireVerification,
}: {
  db: Database
  log: Logger
  requireVerification: boolean
}): ScheduledJob {
  return {
    name: 'remove-old-payloads',
    everyMinutes: 60,
    atMinute: 17,
    async run(signal) {
      const removed = await removeOldPayloads({ db }, { batch, requireVerification, isStopping: () => signal.aborted })
      if (removed.days + removed.deliveries + removed.held + removed.events > 0)
        log.info(removed, 'old webhook payloads removed')
    },
  }
}

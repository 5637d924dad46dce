import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { removeOldRequests } from './remove-old-requests.ts'

/** Every ten minutes, keeps the lists of requests of a sandbox's partners within their limits. */
export function sandboxRequestsJob({ db, log }: { db: Database; log: Logger }): ScheduledJob {
  return {
    name: 'sandbox-requests',
    everyMinutes: 10,
    atMinute: 4,
    async run(signal) {
      const removed = await removeOldRequests({ db }, signal)
      if (removed > 0) log.info({ removed }, 'old requests removed')
    },
  }
}

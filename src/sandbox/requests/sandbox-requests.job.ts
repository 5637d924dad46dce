import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { inBatches } from '../../platform/jobs/in-batches.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { deleteOldRequests, deleteSurplusRequests } from './requests.store.ts'

/** How many requests are removed in one transaction, in a few milliseconds. */
const batch = 1_000

/** Every ten minutes, keeps the lists of requests of a sandbox's partners within their limits. */
export function sandboxRequestsJob({ db, log }: { db: Database; log: Logger }): ScheduledJob {
  return {
    name: 'sandbox-requests',
    everyMinutes: 10,
    atMinute: 4,
    async run(signal) {
      const removed =
        (await inBatches({ batch, signal }, (limit) => deleteOldRequests(db, limit))) +
        (await inBatches({ batch, signal }, (limit) => deleteSurplusRequests(db, limit)))
      if (removed > 0) log.info({ removed }, 'old requests removed')
    },
  }
}

import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { removeOldRequests } from '../../domain/sandbox/requests/remove-old-requests.ts'
import type { ScheduledJob } from './scheduler.ts'

/** Every ten minutes, keeps the lists of requests of a sandbox's partners within their limits. */
export function sandboxRequestsJob({ db, log }: { db: Database; log: Logger }): ScheduledJob {
  return {
    name: 'sandbox-requests',
    everyMinutes: 10,
    atMinute: 4,
    async run() {
      const removed = await removeOldRequests({ db })
      if (removed > 0) log.info({ removed }, 'old requests removed')
    },
  }
}

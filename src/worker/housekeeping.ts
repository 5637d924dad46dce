import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { deleteStaleBroadband } from '../domain/broadband/broadband.store.ts'
import { deleteExpiredKeys } from '../domain/idempotency/idempotency.store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ScheduledJob } from './scheduled-work.ts'

/**
 * Removes, once an hour, what has run out and nobody can see any more: stored answers past their seven days, availability
 * requests, and broadband answers and checks past their day.
 */
export function housekeepingJob({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): ScheduledJob {
  return {
    name: 'housekeeping',
    cron: '7 * * * *',
    async run() {
      const answers = await deleteExpiredKeys(db, clock.now())
      const broadband = await deleteStaleBroadband(db, clock.now())
      if (answers + broadband > 0) log.info({ answers, broadband }, 'expired rows removed')
    },
  }
}

import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { deleteStaleBroadband } from '../domain/broadband/broadband.store.ts'
import { deleteExpiredKeys } from '../domain/idempotency/idempotency.store.ts'
import type { Clock } from '../domain/kernel/clock.ts'
import { startLoop } from './loop.ts'

const hourMs = 3_600_000

/**
 * Removes, once an hour, what has run out and nobody can see any more: stored answers past their seven days, availability
 * requests, and broadband answers and checks past their day. Any number of processes may do it at once.
 */
export function startHousekeeping({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): {
  stop(): Promise<void>
} {
  return startLoop({
    run: async () => {
      const answers = await deleteExpiredKeys(db, clock.now())
      const broadband = await deleteStaleBroadband(db, clock.now())
      if (answers + broadband > 0) log.info({ answers, broadband }, 'expired rows removed')
      return 'idle'
    },
    onError: (error) => log.warn({ err: error }, 'expired rows could not be removed; trying again in an hour'),
    shortestPauseMs: hourMs,
    longestPauseMs: hourMs,
  })
}

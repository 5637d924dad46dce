import type { Logger } from 'pino'
import type { Database } from '../platform/db/database.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { readEndOfFullAccess } from './operators/full-access.ts'

const warnDaysBefore = 14

interface Dependencies {
  db: Database
  clock: Clock
  log: Logger
}

/**
 * Logs a warning from 14 days before the last of the operator's credentials with every scope expires. Also called at
 * every start.
 */
export async function warnOfExpiry({ db, clock, log }: Dependencies): Promise<void> {
  const end = await readEndOfFullAccess({ db, clock })
  if (end !== undefined && end.secondsLeft <= warnDaysBefore * 86_400)
    log.warn({ expiresAt: end.endsAt }, 'the last operator credentials with every scope expire; create new ones')
}

/** Repeats the warning every day at 08:00 UTC. */
export function warnOfExpiryJob(deps: Dependencies): ScheduledJob {
  return { name: 'warn-of-expiry', everyMinutes: 1_440, atMinute: 480, run: () => warnOfExpiry(deps) }
}

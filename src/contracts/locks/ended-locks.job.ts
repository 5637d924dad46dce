import type { Databases } from '../../platform/db/databases.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { storeEndedLocks } from './store-ended-locks.ts'

const batch = 50

/** Every minute, stores which locks have ended, so that partners learn of it even if nobody uses the quote. */
export function endedLocksJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'end-locks',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => storeEndedLocks(deps, { batch, isStopping: () => signal.aborted }),
  }
}

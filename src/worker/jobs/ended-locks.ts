import type { Databases } from '../../db/databases.ts'
import { storeEndedLocks } from '../../domain/quotes/locks/store-ended-locks.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { ScheduledJob } from './scheduler.ts'

const batch = 50

/** Every minute, stores which locks have ended, so that partners learn of it even if nobody uses the quote. */
export function endedLocksJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'end-locks',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await storeEndedLocks(deps, batch)) === batch);
    },
  }
}

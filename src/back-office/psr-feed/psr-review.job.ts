import type { Databases } from '../../platform/db/databases.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { reviewPsr } from './review-psr.ts'

const batch = 50

/** Every hour, notes which needs of the Priority Services Register have ended. */
export function psrReviewJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'review-psr',
    everyMinutes: 60,
    atMinute: 5,
    run: (signal) => reviewPsr(deps, { batch, isStopping: () => signal.aborted }),
  }
}

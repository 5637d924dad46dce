import type { Databases } from '../../db/databases.ts'
import { reviewPsr } from '../../domain/psr-feed/review-psr.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { ScheduledJob } from './scheduler.ts'

const batch = 50

/** Every hour, notes which needs of the Priority Services Register have ended. */
export function psrReviewJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'review-psr',
    everyMinutes: 60,
    atMinute: 5,
    async run(signal) {
      while (!signal.aborted && (await reviewPsr(deps, batch)) === batch);
    },
  }
}

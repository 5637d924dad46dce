import type { Databases } from '../../platform/db/databases.ts'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { endDueContracts } from './end-due-contracts.ts'

const batch = 50

/** Every minute, ends contracts whose last day is over and announces those that end soon. */
export function dueContractsJob(deps: { databases: Databases; cipher: FieldCipher; clock: Clock }): ScheduledJob {
  return {
    name: 'end-contracts',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      while (!signal.aborted && (await endDueContracts(deps, batch)) === batch);
    },
  }
}
